"""Statistics that Python computes from counts that SQL made: tests, regression lines, population
models and random tables.
"""
