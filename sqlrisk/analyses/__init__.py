"""Run the plan of a question in an engine and turn the answers into a result."""
