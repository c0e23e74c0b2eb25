"""The runs behind rerun."""
