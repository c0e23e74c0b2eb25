/*---
grain = """\
one row per person of the original: the id, on request, keys and targets as a person reads them, and the codes and \
counts of the class that the risk is found by"""
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
