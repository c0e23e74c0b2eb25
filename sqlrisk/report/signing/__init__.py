"""The sign-off of a result: as a result of its own, and as a part of a page."""
