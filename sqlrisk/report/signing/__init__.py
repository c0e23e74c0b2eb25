"""A sign-off, as a result and as a part of a page."""
