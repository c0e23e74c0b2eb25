/*---
grain = """\
one row per target, comparison and population, counted or weighted: the values of the measures that a measure \
made of others reads, as columns"""
reads = "results"
---*/
{% from "macros/select.sql" import column_list %}
SELECT
{% call column_list() %}
    target, comparison, population, weighted,
{% for part in parts %}
    {# unchanged by [MAX → MIN]: there is one row of each measure #}
    MAX(CASE WHEN measure = {{ part.measure.name | literal }} THEN value END) AS {{ part.column }},
{% endfor %}
{% endcall %}
FROM {{ results }}
GROUP BY target, comparison, population, weighted
