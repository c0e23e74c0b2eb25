"""Errors, files and texts for use by every package. This package imports nothing else of
sqlrisk.
"""
