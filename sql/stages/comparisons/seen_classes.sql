/*---
grain = "one row per class, for one comparison: the people of one file and the synthetic records that the intruder sees"
reads = "classes"
---*/
{% from "macros/counts.sql" import records_of %}
-- n_own: the people's file, original or control.
SELECT
    {{ class_key }},
    {{ comparison.people.count }} AS n_own, {{ records_of(comparison.members) }} AS n_syn
FROM {{ classes }}
