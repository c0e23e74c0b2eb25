"""The public functions, grouped by subject. Each makes a question from its arguments and runs
it.
"""
