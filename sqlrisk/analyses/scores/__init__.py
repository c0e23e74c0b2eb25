"""The runs behind score, cells, reference and tabulate."""
