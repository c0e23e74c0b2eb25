"""Runs: an engine executes a plan, and the answers become a result."""
