"""The SQL files as Python sees them: measures, attackers, templates, dialects."""
