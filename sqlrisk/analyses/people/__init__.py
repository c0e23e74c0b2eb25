"""The runs behind records, explain, uniques, lookup, protect, recode and split."""
