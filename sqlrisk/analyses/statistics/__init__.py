"""Statistics computed in Python from counts that come from SQL: a bound of epsilon, regression
lines, population models and random tables.
"""
