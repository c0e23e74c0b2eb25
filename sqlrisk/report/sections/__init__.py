"""What a report says, as blocks, section by section."""
