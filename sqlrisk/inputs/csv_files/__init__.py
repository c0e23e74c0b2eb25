"""CSV files: their headers, and which of their texts are numbers."""
