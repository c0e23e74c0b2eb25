/*---
grain = """\
one row per person of the original, with the id on request, readable keys and targets, and the codes and counts of \
the class from which the risk is computed"""
reads = "records, classes, labels"
---*/
{% from "macros/class_key.sql" import class_key_of with context %}
{% from "macros/select.sql" import column_list %}
SELECT
{% call column_list() %}
{% if id %}
    members.record_id AS record,
{% endif %}
{% for each in shown %}
{% for name, value in each.columns.items() %}
    {{ value }} AS {{ name }},
{% endfor %}
{% endfor %}
    members.file AS file,
    {{ class_key_of("members") }},
{% for name in carried %}
    members.{{ name }} AS {{ name }},
{% endfor %}
{% endcall %}
FROM (
    {{ members | indent(4) }}
) AS members
{% for each in shown %}
JOIN (
    {{ each.labels | indent(4) }}
) AS {{ each.alias }} ON {{ each.digit }} = {{ each.code }}
{% endfor %}
