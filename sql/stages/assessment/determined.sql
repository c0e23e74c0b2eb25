/*---
grain = "one row per target, of one key: whether people with the same level of the key have several levels of the target"
reads = "key_levels"
---*/
{% from "macros/select.sql" import union_all %}
{% call union_all() %}
{% for target in targets %}
SELECT
    {{ key.number }} AS key_number, {{ target.number }} AS target, COUNT(*) AS levels, CAST(SUM(people) AS BIGINT) AS people,
    MAX(CASE WHEN least_{{ target.id }} < most_{{ target.id }} THEN 1 ELSE 0 END) AS several,
    CASE WHEN MIN(least_{{ target.id }}) < MAX(most_{{ target.id }}) THEN 1 ELSE 0 END AS varies
FROM {{ key_levels }} AS key_levels
UNION ALL
{% endfor %}
{% endcall %}
