/*---
grain = """\
one row per column, synthesis and fold (as_they_are, or a spelling that is ignored), with records at levels of one \
side only"""
reads = "levels"
---*/
{% from "macros/folds.sql" import folded %}
{% from "macros/select.sql" import union_all %}
{% call union_all() %}
{% for entry in entries %}
{% for fold in entry.folds %}
{% for comparison in comparisons %}
SELECT
    {{ comparison.number }} AS comparison, {{ entry.number }} AS position, {{ entry.target }} AS target,
    '{{ fold }}' AS fold,
    CAST(SUM(people) AS BIGINT) AS people, CAST(SUM(records) AS BIGINT) AS records,
    {# unchanged by [= → <=] in the next 2 lines: no count is below 0 #}
    CAST(SUM(CASE WHEN records = 0 THEN people ELSE 0 END) AS BIGINT) AS people_apart,
    CAST(SUM(CASE WHEN people = 0 THEN records ELSE 0 END) AS BIGINT) AS records_apart,
    COUNT(CASE WHEN people = 1 THEN 1 END) AS people_alone,
    COUNT(CASE WHEN people > 0 THEN 1 END) AS levels_original,
    COUNT(CASE WHEN records > 0 THEN 1 END) AS levels_synthetic
FROM (
    SELECT folded, SUM(people) AS people, SUM(records) AS records
    FROM (
        SELECT
            {{ folded(fold) }} AS folded, {{ comparison.people.count }} AS people,
            {{ comparison.members[0].count }} AS records
        FROM {{ entry.levels }} AS levels
    ) AS folded_levels
    GROUP BY folded
) AS sides
UNION ALL
{% endfor %}
{% endfor %}
{% endfor %}
{% endcall %}
