/*---
grain = "one row per level of a target: its records in every file, and whether the user excludes it"
reads = "levels, files"
---*/
SELECT
    level_code,
{% for file in files %}
    CAST(SUM(records_{{ file.number }}) AS BIGINT) AS {{ file.count }},
    {{ file.count_all }},
{% endfor %}
    MAX(is_excluded) AS excluded_level
FROM (
    SELECT
        levels.code AS level_code,
{% for file in files %}
        levels.{{ file.count }} AS records_{{ file.number }},
        files.{{ file.count }} AS {{ file.count_all }},
{% endfor %}
        {%+ if excluded_levels %}CASE WHEN {% for level in excluded_levels %}{{ " OR " if not loop.first }}{{ target.matches(level) }}{% endfor %} THEN 1 ELSE 0 END{% else %}0{% endif %} AS is_excluded
    FROM {{ levels }} AS levels
    CROSS JOIN {{ files_row }} AS files
) AS seen
GROUP BY level_code{% for file in files %}, {{ file.count_all }}{% endfor %}{{ "" }}
