"""The runs behind score, cells, inspect, published tables and utility."""
