"""The runs behind attack and sweep."""
