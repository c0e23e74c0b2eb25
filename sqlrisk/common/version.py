"""The version of sqlrisk, for results that say which one made them."""

__version__ = "0.1.0"
