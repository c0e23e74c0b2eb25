/*---
grain = "one row per column and synthesis: levels that only the original has, levels that only this synthesis has"
reads = "levels"
---*/
{% for entry in entries %}
{% set outer_last = loop.last %}
{% for comparison in comparisons %}
SELECT
    {{ entry.number }} AS position, {{ comparison.number }} AS comparison,
    COUNT(CASE WHEN original > 0 AND synthetic = 0 THEN 1 END) AS only_original,
    COUNT(CASE WHEN original = 0 AND synthetic > 0 THEN 1 END) AS only_synthetic
FROM (
    SELECT code, SUM(n_orig) AS original, SUM({{ comparison.members[0].count }}) AS synthetic
    FROM {{ entry.levels }} AS levels
    GROUP BY code
) AS level_counts
{% if not (loop.last and outer_last) %}
UNION ALL
{% endif %}
{% endfor %}
{% endfor %}
