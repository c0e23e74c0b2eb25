"""What a report says, section by section, in blocks."""
