"""Turn files into tables of integers in an engine."""
