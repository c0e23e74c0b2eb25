/*---
grain = "one row per cell of a class of people: its people, and the synthetic records with this level among those nearest to the class (radius 0: with the same keys)"
reads = "cells, classes, neighbours"
---*/
{% set n_syn_class %}{% for file in comparison.members %}{{ " + " if not loop.first }}cells.{{ file.count_class }}{% endfor %}{% endset %}
{% set anybody %}{% for file in people_files %}{{ " + " if not loop.first }}cells.{{ file.count_class }}{% endfor %}{% endset %}
{% set turn_only = " WHERE " ~ turn.takes() if turn.takes() else "" %}
{% set own %}{%+ for limb in limbs %}cells.{{ limb.name }} AS {{ limb.name }}, {% endfor %}cells.level_code AS level_code,
    {%+ for file in people_files %}cells.{{ file.count }} AS {{ file.count }}, cells.{{ file.count_class }} AS {{ file.count_class }}, {% endfor %}{% endset %}
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
    {%+ for file in comparison.members %}{{ " + " if not loop.first }}cells.{{ file.count }}{% endfor %} AS n_near, {{ n_syn_class }} AS n_near_class, 0 AS radius
FROM {{ cells }} AS cells
WHERE {{ n_syn_class }} > 0 AND {{ anybody }} > 0
UNION ALL
SELECT
    {{ own }}
{% if every_level %}
    COALESCE(near_levels.n_level, 0) AS n_near, near_classes.n_all AS n_near_class, near_classes.radius AS radius
FROM {{ cells }} AS cells
JOIN near_classes ON {% for limb in limbs %}{{ " AND " if not loop.first }}cells.{{ limb.name }} = near_classes.{{ limb.name }}{% endfor %}{{ "" }}
LEFT JOIN near_levels ON {% for limb in limbs %}cells.{{ limb.name }} = near_levels.{{ limb.name }} AND {% endfor %}cells.level_code = near_levels.level_code
-- Levels that the class lacks: a vote needs them.
UNION ALL
SELECT
    {%+ for limb in limbs %}near_levels.{{ limb.name }} AS {{ limb.name }}, {% endfor %}near_levels.level_code AS level_code,
    {%+ for file in people_files %}0 AS {{ file.count }}, classes.of_{{ file.count }} AS {{ file.count_class }}, {% endfor %}{{ "" }}
    near_levels.n_level AS n_near, near_classes.n_all AS n_near_class, near_classes.radius AS radius
FROM near_levels
JOIN near_classes ON {% for limb in limbs %}{{ " AND " if not loop.first }}near_levels.{{ limb.name }} = near_classes.{{ limb.name }}{% endfor %}{{ "" }}
JOIN (SELECT {{ class_key }}, {% for file in people_files %}{{ file.count }} AS of_{{ file.count }}{{ ", " if not loop.last }}{% endfor %} FROM {{ classes }}) AS classes
    ON {% for limb in limbs %}{{ " AND " if not loop.first }}near_levels.{{ limb.name }} = classes.{{ limb.name }}{% endfor %}{{ "" }}
LEFT JOIN (SELECT {{ class_key }}, level_code, 1 AS hit FROM {{ cells }}) AS known
    ON {% for limb in limbs %}near_levels.{{ limb.name }} = known.{{ limb.name }} AND {% endfor %}near_levels.level_code = known.level_code
WHERE COALESCE(known.hit, 0) = 0
{% else %}
    CAST(SUM(CASE WHEN neighbours.near_level = cells.level_code THEN neighbours.n_level ELSE 0 END) AS BIGINT) AS n_near,
    CAST(SUM(neighbours.n_level) AS BIGINT) AS n_near_class, MAX(neighbours.found_at) AS radius
FROM {{ cells }} AS cells
JOIN (SELECT {{ class_key }}, level_code AS near_level, n_near AS n_level, radius AS found_at FROM {{ neighbours }}{{ turn_only }}) AS neighbours
    ON {% for limb in limbs %}{{ " AND " if not loop.first }}cells.{{ limb.name }} = neighbours.{{ limb.name }}{% endfor %}{{ "" }}
GROUP BY {% for limb in limbs %}cells.{{ limb.name }}, {% endfor %}cells.level_code{% for file in people_files %}, cells.{{ file.count }}, cells.{{ file.count_class }}{% endfor %}{{ "" }}
{% endif %}
