"""Tables and classes of some of the columns, counted from one encoding of the files."""
