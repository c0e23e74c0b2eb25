"""Statistics computed in Python from counts that come from SQL: tests, regression lines, population
models and random tables.
"""
