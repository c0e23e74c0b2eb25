"""Tables laid out as in published papers."""
