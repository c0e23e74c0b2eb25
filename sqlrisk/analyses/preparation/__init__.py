"""From files to tables of integers in an engine."""
