/*---
grain = """\
one row per column and synthesis, with the numbers of levels that only the original, and only this synthesis has"""
reads = "levels"
---*/
{% from "macros/select.sql" import union_all %}
{% call union_all() %}
{% for entry in entries %}
{% for comparison in comparisons %}
SELECT
    {{ entry.number }} AS position, {{ comparison.number }} AS comparison,
    {# unchanged by [= → <=] in the next 2 lines: no count is below 0 #}
    COUNT(CASE WHEN original > 0 AND synthetic = 0 THEN 1 END) AS only_original,
    COUNT(CASE WHEN original = 0 AND synthetic > 0 THEN 1 END) AS only_synthetic
FROM (
    {# unchanged by [SUM → MAX]: the sum of counts is 0 exactly if their maximum is 0 #}
    SELECT code, SUM(n_orig) AS original, SUM({{ comparison.members[0].count }}) AS synthetic
    FROM {{ entry.levels }} AS levels
    GROUP BY code
) AS level_counts
UNION ALL
{% endfor %}
{% endfor %}
{% endcall %}
