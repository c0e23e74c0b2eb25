"""The report as one HTML page, and its figures."""
