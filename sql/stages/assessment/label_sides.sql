/*---
grain = "one row per column and synthesis whose file labels codes otherwise: its records, and those at these codes"
reads = "levels, the codes that files label otherwise"
---*/
{% from "macros/select.sql" import union_all %}
{% call union_all() %}
{% for entry in entries %}
SELECT
    {{ entry.comparison.number }} AS comparison, {{ entry.number }} AS position,
    CAST(SUM({{ entry.comparison.members[0].count }}) AS BIGINT) AS records,
    CAST(SUM(
        CASE WHEN level IS NOT NULL THEN {{ entry.comparison.members[0].count }} ELSE 0 END
    ) AS BIGINT) AS records_otherwise
FROM {{ entry.levels }} AS levels
LEFT JOIN {{ entry.codes }} AS codes ON value = CAST(level AS {{ entry.column.type }})
UNION ALL
{% endfor %}
{% endcall %}
