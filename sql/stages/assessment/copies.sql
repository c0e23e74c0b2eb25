/*---
grain = """\
one row per synthesis, people (control or not) and change of rows (0: unchanged), with counts of the rows that both \
sides have"""
reads = "distinct_rows or changed_rows"
---*/
-- `by_chance` is the number of people unique on all columns whose row a new random sample would contain: at most about
-- 2 * pairs * records / people (Good 1953, Robbins 1956). If it is high, the columns have few combinations, so equal
-- rows are no sign of a copy.
{% from "macros/select.sql" import union_all %}
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
