"""The data dictionary (types, roles and labels of columns) and the recodes it asks for."""
