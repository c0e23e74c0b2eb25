"""Files that no database reads, as streams: a module for each library that reads them."""
