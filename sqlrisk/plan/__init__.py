"""Turn a scenario and its files into ordered steps of plain SQL. No database is needed."""
