/*---
grain = """\
one row per class, or per cell of one target, with the records of each file, kept to count subsets of these keys; or \
those of one pass"""
reads = "classes or cells, or row_counts"
---*/
{% from "macros/class_key.sql" import of_pass with context %}
{% from "macros/counts.sql" import counts_of %}
SELECT {{ class_key }}, {{ "level_code, " if of_target }}{{ counts_of(files) }}
FROM {{ counted }}{{ of_pass() }}
