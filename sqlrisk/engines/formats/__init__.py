"""Read files that no database can read, as streams. Each library has a module."""
