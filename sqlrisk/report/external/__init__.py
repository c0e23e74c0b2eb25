"""The external level: a report whose every figure is rounded, and proven against a reader who works
backwards.
"""
