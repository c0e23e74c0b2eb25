"""Databases with a DB-API 2.0 driver: one session class, and a table of how the products differ."""
