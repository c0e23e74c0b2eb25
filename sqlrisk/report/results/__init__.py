"""The results of each command, apart from the report itself."""
