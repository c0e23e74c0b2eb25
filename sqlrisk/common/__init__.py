"""What every package may use: errors, files, texts. It imports nothing else of sqlrisk."""
