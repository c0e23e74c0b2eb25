"""External reports: all figures are rounded, and an audit proves that no reader can derive a small
count from them.
"""
