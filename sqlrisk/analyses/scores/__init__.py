"""The runs behind score, cells, published tables and utility."""
