/*---
grain = """\
one row per class of people without own synthetic records and level of the class or of its nearest synthetic records, \
with the number of these records"""
reads = "cells, classes, neighbours"
---*/
{% from "macros/class_key.sql" import class_key_of, same_class, same_cell, of_pass with context %}
{% from "macros/select.sql" import column_list, each_of %}
-- The levels that the class itself lacks are included, because a majority vote counts them.
WITH near_levels AS (
    SELECT {{ class_key }}, level_code, radius, CAST(SUM(n_near) AS BIGINT) AS n_level
    FROM {{ neighbours }}{{ of_pass() }}
    GROUP BY {{ class_key }}, level_code, radius
), near_classes AS (
    SELECT {{ class_key }}, radius, CAST(SUM(n_level) AS BIGINT) AS n_all
    FROM near_levels
    GROUP BY {{ class_key }}, radius
)
SELECT
    {{ class_key_of("cells") }}, cells.level_code AS level_code,
    {{ each_of(people_files, "cells.{0.count} AS {0.count}, cells.{0.count_class} AS {0.count_class}") }}
    COALESCE(near_levels.n_level, 0) AS n_near, near_classes.n_all AS n_near_class, 0 AS n_same,
    {# unchanged by AS [radius → n_orig]: UNION ALL matches columns by position #}
    near_classes.radius AS radius
FROM {{ cells }} AS cells
JOIN near_classes ON {{ same_class("cells", "near_classes") }}
LEFT JOIN near_levels ON {{ same_cell("cells", "near_levels") }}
UNION ALL
SELECT
    {{ class_key_of("near_levels") }}, near_levels.level_code AS level_code,
{% for file in people_files %}
    0 AS {{ file.count }}, own.of_{{ file.count }} AS {{ file.count_class }},
{% endfor %}
    near_levels.n_level AS n_near, near_classes.n_all AS n_near_class, 0 AS n_same,
    {# unchanged by AS [radius → n_orig]: UNION ALL matches columns by position #}
    near_classes.radius AS radius
FROM near_levels
JOIN near_classes ON {{ same_class("near_levels", "near_classes") }}
JOIN (
    SELECT
{% call column_list() %}
        {{ class_key }}, {{ each_of(people_files, "{0.count} AS of_{0.count}") }}
{% endcall %}
    FROM {{ classes }}
) AS own ON {{ same_class("near_levels", "own") }}
{# unchanged by [1 → 2]: the number is only compared with 0 #}
LEFT JOIN (SELECT {{ class_key }}, level_code, 1 AS hit FROM {{ cells }}) AS known
    ON {{ same_cell("near_levels", "known") }}
{# unchanged by [= → <=]: a flag is 0 or 1 #}
WHERE COALESCE(known.hit, 0) = 0
