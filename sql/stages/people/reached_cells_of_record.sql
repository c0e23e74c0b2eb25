/*---
grain = """\
one row per cell with people of one target, with the synthetic records within its tolerance that have its level"""
reads = "reached_cells"
---*/
{% from "macros/counts.sql" import records_of %}
SELECT {{ class_key }}, level_code, {{ records_of(synthetic) }} AS n_near_syn_{{ target.id }}
FROM {{ reached_cells }}
