/*---
grain = """\
one row per column and synthesis, with the numbers of levels that only the original, and only this synthesis has"""
reads = "levels"
---*/
{% from "macros/counts.sql" import counts_at_levels %}
{% from "macros/select.sql" import column_list, union_all %}
WITH sides AS (
    SELECT
{% call column_list() %}
        position,
{% for comparison in comparisons %}
        {% set number, records = comparison.number, "records_%s" % comparison.number %}
        {# unchanged by [= → <=] in the next 2 lines: no count is below 0 #}
        COUNT(CASE WHEN people > 0 AND {{ records }} = 0 THEN 1 END) AS only_original_{{ number }},
        COUNT(CASE WHEN people = 0 AND {{ records }} > 0 THEN 1 END) AS only_synthetic_{{ number }},
{% endfor %}
{% endcall %}
    FROM (
{% call union_all() %}
{% for entry in entries %}
        SELECT
            {{ entry.number }} AS position,
            {{ counts_at_levels(entry, comparisons, "code" if entry.shared) | indent(12) }}
        UNION ALL
{% endfor %}
{% endcall %}
    ) AS levels
    GROUP BY position
)
{% call union_all() %}
{% for comparison in comparisons %}
SELECT
    position, {{ comparison.number }} AS comparison, only_original_{{ comparison.number }} AS only_original,
    only_synthetic_{{ comparison.number }} AS only_synthetic
FROM sides
UNION ALL
{% endfor %}
{% endcall %}
