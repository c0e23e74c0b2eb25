"""The databases that can run the SQL of sqlrisk, with a module or package for each."""
