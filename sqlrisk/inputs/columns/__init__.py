"""What a user says of columns: the dictionary, and the recodes that follow from it."""
