/*---
grain = """\
one row per cell of one target, with the synthetic records of the class within the tolerance of a record in the cell"""
reads = "within_counts"
---*/
{% from "macros/counts.sql" import records_of %}
SELECT {{ class_key }}, level_code, {{ records_of(comparison.members, begin="within_") }} AS n_within_{{ target.id }}
FROM {{ within_counts }}
