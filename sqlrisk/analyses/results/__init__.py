"""The runs behind sign, signatures and rerun, and SQL queries over an open session."""
