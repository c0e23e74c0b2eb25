"""Databases that run the steps, each in a module of its own."""
