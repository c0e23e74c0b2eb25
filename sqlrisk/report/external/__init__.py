"""The external level: a report whose figures are all rounded, and proven safe against a reader who
works backwards.
"""
