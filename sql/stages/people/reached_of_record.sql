/*---
grain = "one row per class of people, with the people and synthetic records within its tolerance"
reads = "reached_classes"
---*/
{% from "macros/counts.sql" import records_of %}
SELECT {{ class_key }}, {{ own }} AS n_orig_near, {{ records_of(synthetic) }} AS n_syn_near
FROM {{ reached_classes }}
