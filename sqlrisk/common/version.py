"""The version of sqlrisk and the version of its JSON format, both of which results state."""

__version__ = "0.1.0"
SCHEMA = 1
"""Increased if a key of the JSON changes its meaning or is removed, not if one is added."""
