/*---
grain = """\
one row per synthesis, group of people (original or control) and change of rows (0: none), with counts of people, \
records and the rows that both have"""
reads = "distinct_rows or changed_rows"
---*/
{% from "macros/select.sql" import union_all %}
-- uniques are people whose row, changed or not, nobody else has. Chance alone gives a file some of their rows: at most
-- about 2 * pairs * records / people (Good 1953, Robbins 1956). Reasons compare uniques_released with this bound.
{% call union_all() %}
{% for comparison, number in comparisons %}
{% set people, synthetic = comparison.people.count, comparison.members[0].count %}
SELECT
    {{ number }} AS comparison, {{ 1 if comparison.people.control else 0 }} AS of_control, {{ change }} AS change,
    CAST(COALESCE(SUM({{ people }}), 0) AS BIGINT) AS people,
    CAST(COALESCE(SUM({{ synthetic }}), 0) AS BIGINT) AS records,
    CAST(COALESCE(SUM(CASE WHEN {{ synthetic }} > 0 THEN {{ people }} END), 0) AS BIGINT) AS people_released,
    CAST(COALESCE(SUM(CASE WHEN {{ people }} > 0 THEN {{ synthetic }} END), 0) AS BIGINT) AS records_of_people,
    COUNT(CASE WHEN {{ people }} = 1 THEN 1 END) AS uniques,
    COUNT(CASE WHEN {{ people }} = 2 THEN 1 END) AS pairs,
    COUNT(CASE WHEN {{ people }} = 1 AND {{ synthetic }} > 0 THEN 1 END) AS uniques_released,
    COUNT(CASE WHEN {{ people }} <> {{ synthetic }} THEN 1 END) AS rows_that_differ,
    COUNT(CASE WHEN {{ synthetic }} > {{ people }} THEN 1 END) AS rows_beyond
FROM {{ rows }} AS counted
{% if change %}
GROUP BY change
{% endif %}
UNION ALL
{% endfor %}
{% endcall %}
