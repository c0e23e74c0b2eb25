/*---
grain = "one row per class of one record that some keys single out, with its SUDA score, in points and as published"
reads = "minimal_uniques"
source = "Elliot, Manning & Ford 2002; the other weights: International Household Survey Network, as in sdcMicro"
---*/
-- Each minimal set of keys adds points by its size: the fewer keys, the more points. Points are weights without their
-- common factor, so sums and ties are exact in whole numbers. points_k1 and so on are the points of the sets that
-- contain the key.
SELECT
    {{ class_key }}, points, {{ score }} AS suda_score,
{% for part in parts %}
    points_{{ part.column.id }},
{% endfor %}
    smallest_set
FROM (
    SELECT
        {{ class_key }},
        CAST(SUM(set_points) AS {{ number }}) AS points,
{% for part in parts %}
        CAST(SUM(has_{{ part.column.id }} * set_points) AS {{ number }}) AS points_{{ part.column.id }},
{% endfor %}
        MIN(n_keys) AS smallest_set
    FROM (
        SELECT
            {{ class_key }}, {% for part in parts %}has_{{ part.column.id }}, {% endfor %}n_keys,
            CASE{% for points in weights %}
                {# unchanged by [= → <=]: an earlier condition takes the sets with fewer keys #}
                WHEN n_keys = {{ loop.index }} THEN {{ points }}{% endfor %} END AS set_points
        FROM {{ minimal_uniques }} AS minimal_uniques
        WHERE n_keys > 0
    ) AS sets
    GROUP BY {{ class_key }}
) AS summed
