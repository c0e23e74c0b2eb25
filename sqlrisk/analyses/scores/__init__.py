"""The runs behind score, cells, inspect, paper tables and utility."""
