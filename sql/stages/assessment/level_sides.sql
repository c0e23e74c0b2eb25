/*---
grain = """\
one row per column, synthesis and fold (as_they_are, or the difference of spelling that is ignored), with the levels \
and records of both files, and the records at levels that only one file has"""
reads = "levels"
---*/
{% from "macros/counts.sql" import counts_at_levels %}
{% from "macros/folds.sql" import folded %}
{% from "macros/select.sql" import column_list, union_all %}
WITH both_sides AS (
    SELECT
{% call column_list() %}
        position, target, fold,
        CAST(SUM(people) AS BIGINT) AS people,
        COUNT(CASE WHEN people = 1 THEN 1 END) AS people_alone,
        COUNT(CASE WHEN people > 0 THEN 1 END) AS levels_original,
{% for comparison in comparisons %}
        {% set number, records = comparison.number, "records_%s" % comparison.number %}
        CAST(SUM({{ records }}) AS BIGINT) AS {{ records }},
        {# unchanged by [= → <=] in the next 2 lines: no count is below 0 #}
        CAST(SUM(CASE WHEN {{ records }} = 0 THEN people ELSE 0 END) AS BIGINT) AS people_apart_{{ number }},
        CAST(SUM(CASE WHEN people = 0 THEN {{ records }} ELSE 0 END) AS BIGINT) AS records_apart_{{ number }},
        COUNT(CASE WHEN {{ records }} > 0 THEN 1 END) AS levels_synthetic_{{ number }},
{% endfor %}
{% endcall %}
    FROM (
{% call union_all() %}
{% for entry in entries %}
{% for fold in entry.folds %}
        SELECT
            {{ entry.number }} AS position, {{ entry.target }} AS target, '{{ fold }}' AS fold,
            {{ counts_at_levels(entry, comparisons, folded(fold, entry.shared)) | indent(12) }}
        UNION ALL
{% endfor %}
{% endfor %}
{% endcall %}
    ) AS levels
    GROUP BY position, target, fold
)
{% call union_all() %}
{% for comparison in comparisons %}
{% set number = comparison.number %}
SELECT
    {{ number }} AS comparison, position, target, fold, people, records_{{ number }} AS records,
    people_apart_{{ number }} AS people_apart, records_apart_{{ number }} AS records_apart,
    people_alone, levels_original, levels_synthetic_{{ number }} AS levels_synthetic
FROM both_sides
UNION ALL
{% endfor %}
{% endcall %}
