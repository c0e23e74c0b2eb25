/*---
grain = "one row per class, or per cell of one target: the records of every file, kept for subsets of these keys"
reads = "classes or cells"
---*/
{% from "macros/counts.sql" import counts_of %}
SELECT {{ class_key }}, {{ "level_code, " if of_target }}{{ counts_of(files) }}
FROM {{ counted }}
