/*---
grain = "one row per comparison and key, with the number of its levels in the training file or among the people"
reads = "levels"
---*/
{% from "macros/counts.sql" import records_of %}
{% from "macros/select.sql" import union_all %}
{% set n = comparison.people.count ~ " + " ~ records_of(comparison.members) %}
{% call union_all() %}
{% for key in keys %}
SELECT
    {{ comparison.number }} AS comparison, {{ key.number }} AS key_number,
    COUNT(DISTINCT CASE WHEN {{ n }} > 0 THEN code END) AS n_levels
FROM {{ levels[key.id] }} AS levels_{{ key.id }}
UNION ALL
{% endfor %}
{% endcall %}
