"""The results of each command beside the report itself."""
