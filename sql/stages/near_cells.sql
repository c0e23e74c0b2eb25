/*---
grain = """\
one row per cell of a class of people: its people, and the synthetic records with this level among those nearest \
to the class (radius 0: with the same keys)"""
reads = "cells, classes, neighbours"
---*/
{% from "macros/class_key.sql" import class_key_of, by_class_key, same_class, same_cell with context %}
{% from "macros/counts.sql" import records_of %}
{% from "macros/select.sql" import joined_by %}
{% set n_syn_class %}{{ records_of(comparison.members, "cells", "_class") }}{% endset %}
{% set anybody %}{{ records_of(people_files, "cells", "_class") }}{% endset %}
{% set turn_only = " WHERE " ~ turn.takes() if turn.takes() else "" %}
{% set own %}{{ class_key_of("cells") }}, cells.level_code AS level_code,
    {%+ for file in people_files %}cells.{{ file.count }} AS {{ file.count }},
        cells.{{ file.count_class }} AS {{ file.count_class }}, {% endfor %}{% endset %}
{% if every_level %}
WITH near_levels AS (
    SELECT {{ class_key }}, level_code, radius, CAST(SUM(n_near) AS BIGINT) AS n_level
    FROM {{ neighbours }}{{ turn_only }}
    GROUP BY {{ class_key }}, level_code, radius
), near_classes AS (
    SELECT {{ class_key }}, radius, CAST(SUM(n_level) AS BIGINT) AS n_all
    FROM near_levels
    GROUP BY {{ class_key }}, radius
)
{% endif %}
SELECT
    {{ own }}
    {{ records_of(comparison.members, "cells") }} AS n_near, {{ n_syn_class }} AS n_near_class, 0 AS radius
FROM {{ cells }} AS cells
WHERE {{ n_syn_class }} > 0 AND {{ anybody }} > 0
UNION ALL
SELECT
    {{ own }}
{% if every_level %}
    COALESCE(near_levels.n_level, 0) AS n_near, near_classes.n_all AS n_near_class, near_classes.radius AS radius
FROM {{ cells }} AS cells
JOIN near_classes ON {{ same_class("cells", "near_classes") }}
LEFT JOIN near_levels ON {{ same_cell("cells", "near_levels") }}
-- Levels that the class lacks: a vote needs them.
UNION ALL
SELECT
    {{ class_key_of("near_levels") }}, near_levels.level_code AS level_code,
    {%+ for file in people_files %}0 AS {{ file.count }}, classes.of_{{ file.count }} AS {{ file.count_class }},
        {% endfor %}{{ "" }}
    near_levels.n_level AS n_near, near_classes.n_all AS n_near_class, near_classes.radius AS radius
FROM near_levels
JOIN near_classes ON {{ same_class("near_levels", "near_classes") }}
JOIN (
    SELECT
        {{ class_key }},
        {% call joined_by(",") %}{% for file in people_files %}{{ file.count }} AS of_{{ file.count }}, {% endfor %}{% endcall %}
    FROM {{ classes }}
) AS classes
    ON {{ same_class("near_levels", "classes") }}
LEFT JOIN (SELECT {{ class_key }}, level_code, 1 AS hit FROM {{ cells }}) AS known
    ON {{ same_cell("near_levels", "known") }}
WHERE COALESCE(known.hit, 0) = 0
{% else %}
    CAST(SUM(CASE WHEN neighbours.near_level = cells.level_code THEN neighbours.n_level
        ELSE 0 END) AS BIGINT) AS n_near,
    CAST(SUM(neighbours.n_level) AS BIGINT) AS n_near_class, MAX(neighbours.found_at) AS radius
FROM {{ cells }} AS cells
JOIN (
    SELECT {{ class_key }}, level_code AS near_level, n_near AS n_level, radius AS found_at
    FROM {{ neighbours }}{{ turn_only }}
) AS neighbours
    ON {{ same_class("cells", "neighbours") }}
GROUP BY {{ by_class_key("cells") }},
    cells.level_code{% for file in people_files %}, cells.{{ file.count }},
        cells.{{ file.count_class }}{% endfor %}{{ "" }}
{% endif %}
