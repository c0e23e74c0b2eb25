"""Output formats of any result: tables of rows, Markdown, text for a terminal."""
