"""Databases with a DB-API 2.0 driver: one session for all of them, and a table of what they differ
in.
"""
