"""The report as an HTML page to sign off: one file, no network, readable without scripts, printed on A4."""
