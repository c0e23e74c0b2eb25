"""Runs: an engine carries out a plan, and its answers become a result."""
