"""Page one of a report, on which a release is decided: findings, their sentences, and the numbers
at a glance.
"""
