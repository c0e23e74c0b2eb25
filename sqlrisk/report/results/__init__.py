"""The results of each command except the report."""
