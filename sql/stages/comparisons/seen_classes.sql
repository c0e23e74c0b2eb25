/*---
grain = "one row per class, for one comparison: the people of one file and the synthetic records that the intruder sees"
reads = "classes or reached_classes"
---*/
{% from "macros/counts.sql" import records_of, files_with_one_record %}
-- n_own: the people's file, original or control. n_replicating is of the compared files, each taken alone, where a
-- measure asks.
SELECT
    {{ class_key }},
{% if each_file %}
    {{ files_with_one_record(comparison.members) }} AS n_replicating,
{% endif %}
{% for name, value in carried.items() %}
    {{ value }} AS {{ name }},
{% endfor %}
    {{ comparison.people.count }} AS n_own, {{ records_of(synthetic) }} AS n_syn
FROM {{ classes }}
