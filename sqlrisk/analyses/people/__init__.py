"""The runs behind records, explain, uniques, lookup and protect."""
