"""What a report is decided on: page one and its findings, their sentences, the numbers
at a glance.
"""
