"""The content of a report as blocks, section by section."""
