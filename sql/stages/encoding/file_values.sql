/*---
grain = """\
one row per record of one file, with its columns in the types that all files share, and for people flags of \
populations and the weight"""
reads = "one file"
---*/
{% from "macros/select.sql" import column_list %}
SELECT
{% call column_list() %}
{% for name, value in identifiers.items() %}
    {{ value }} AS {{ name }},
{% endfor %}
{% for column in columns %}
    {{ column.value_in(file) }} AS value_{{ column.id }},
{% endfor %}
{% for population in conditions %}
    CASE WHEN {{ population.conditions[file.number] }} THEN 1 ELSE 0 END AS {{ population.flag }},
{% endfor %}
{% if weight %}
    CAST({{ weight }} AS DOUBLE) AS weight,
{% endif %}
{% endcall %}
FROM {{ file.relation }}
