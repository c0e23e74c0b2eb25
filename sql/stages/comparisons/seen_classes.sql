/*---
grain = """\
one row per class and comparison of a query, with the people of one file and the synthetic records that the intruder \
sees"""
reads = "classes, reached_classes, linked_classes, singled_classes or near_classes; comparisons if there are several"
---*/
{% from "macros/counts.sql" import records_of, files_with_one_record %}
{% from "macros/together.sql" import for_each_comparison with context %}
-- n_own counts the file of the people, original or control. n_replicating is the number of compared files that have
-- exactly one record in the class. It is made only if a measure reads it.
SELECT
    {{ class_key }},
{% if each_file %}
    {{ files_with_one_record(members) }} AS n_replicating,
{% endif %}
{% for name, value in carried.items() %}
    {{ value }} AS {{ name }},
{% endfor %}
    {{ records_of(own) }} AS n_own, {{ records_of(synthetic) }} AS n_syn
FROM {{ classes }}{{ for_each_comparison() }}
