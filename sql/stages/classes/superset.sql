/*---
grain = """\
one row per class, or per cell of one target: the records of every file, kept for subsets of these keys, or of a pass \
out of all that are kept"""
reads = "classes or cells, or row_counts"
---*/
{% from "macros/class_key.sql" import of_pass with context %}
{% from "macros/counts.sql" import counts_of %}
SELECT {{ class_key }}, {{ "level_code, " if of_target }}{{ counts_of(files) }}
FROM {{ counted }}{{ of_pass() }}
