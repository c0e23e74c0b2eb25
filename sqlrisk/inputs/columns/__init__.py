"""The data dictionary (types, roles and labels of columns) and its recodes."""
