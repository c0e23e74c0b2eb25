"""What a report is decided on: page one with its findings, their sentences, and the numbers at a
glance.
"""
