"""Tables and classes of subsets of the columns, counted from one encoding of the files."""
