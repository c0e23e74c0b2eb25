"""The version of sqlrisk, and of the form of its JSON, for results that say which one made them."""

__version__ = "0.1.0"
SCHEMA = 1
"""Increased if a key of the JSON changes its meaning or is removed, not if one is added."""
