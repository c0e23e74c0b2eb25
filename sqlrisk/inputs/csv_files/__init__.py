"""CSV files: headers, and texts that are numbers, dates or booleans."""
