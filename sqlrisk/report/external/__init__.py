"""External reports: all figures are rounded, and proven safe against a reader who computes
backwards from them.
"""
