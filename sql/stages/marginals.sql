/*---
grain = "one row per level of a target: its records in every file, and whether the user excludes it"
reads = "levels, files"
---*/
SELECT
    code AS level_code,
{% for file in files %}
    CAST(SUM(levels.{{ file.count }}) AS BIGINT) AS {{ file.count }},
    MAX(files.{{ file.count }}) AS {{ file.count_all }},
{% endfor %}
    MAX({% if excluded_levels %}CASE WHEN {% for level in excluded_levels %}{{ " OR " if not loop.first }}{{ target.matches(level) }}{% endfor %} THEN 1 ELSE 0 END{% else %}0{% endif %}) AS excluded_level
FROM {{ levels }} AS levels
CROSS JOIN {{ files_row }} AS files
GROUP BY code
