"""The SQL files as Python objects: measures, attackers, templates, dialects."""
