"""Run the SQL of a question on a database and turn the rows into a result."""
