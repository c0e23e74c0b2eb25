/*---
grain = """\
one row per target, comparison, population and weighting, with a column for each measure that a derived measure reads"""
reads = "results"
---*/
{% from "macros/select.sql" import column_list %}
{% set at_point = " AND point = CAST(" ~ at ~ " AS DOUBLE)" if at %}
SELECT
{% call column_list() %}
    target, comparison, population, weighted,
{% for part, name in parts.items() %}
    MAX(CASE WHEN measure = {{ name | literal }}{{ at_point }} THEN value END) AS {{ part }},
{% endfor %}
{% endcall %}
FROM {{ results }}
GROUP BY target, comparison, population, weighted
