"""Read files that no database reads as streams, with a module for each library."""
