/*---
grain = "one row per level of a target, with its records in each file and whether the user excludes it"
reads = "levels, files, the user's baseline"
---*/
{% from "macros/counts.sql" import counts_of %}
{% from "macros/select.sql" import joined_by %}
SELECT
    level_code,
{% for file in files %}
    CAST(SUM(records_{{ file.number }}) AS BIGINT) AS {{ file.count }},
    {{ file.count_all }},
{% endfor %}
{% if baseline %}
    {# unchanged by [MAX → MIN]: all rows of a group have one value #}
    MAX(COALESCE(given.given_share, 0)) AS share,
{% endif %}
    MAX(is_excluded) AS excluded_level
FROM (
    SELECT
        levels.code AS level_code,
{% for file in files %}
        levels.{{ file.count }} AS records_{{ file.number }},
        files.{{ file.count }} AS {{ file.count_all }},
{% endfor %}
{% if excluded_levels %}
        CASE WHEN
{% call joined_by("OR") %}
{% for level in excluded_levels %}
            {{ target.matches(level) }} OR
{% endfor %}
{% endcall +%}
        THEN 1 ELSE 0 END AS is_excluded
{% else %}
        0 AS is_excluded
{% endif %}
    FROM {{ levels }} AS levels
    CROSS JOIN {{ files_row }} AS files
) AS seen
{% if baseline %}
LEFT JOIN (
    SELECT
        COALESCE(dictionary.code, CASE WHEN given_shares.value IS NULL THEN 0 END) AS given_code,
        SUM(given_shares.part) AS given_share
    FROM (
        SELECT {{ baseline.level }} AS value, CAST("share" AS DOUBLE) AS part
        FROM {{ baseline.relation }}
    ) AS given_shares
    LEFT JOIN {{ levels }} AS dictionary ON given_shares.value = {{ baseline.value }}
    GROUP BY COALESCE(dictionary.code, CASE WHEN given_shares.value IS NULL THEN 0 END)
) AS given ON seen.level_code = given.given_code
{% endif %}
GROUP BY level_code, {{ counts_of(files, "_all") }}
