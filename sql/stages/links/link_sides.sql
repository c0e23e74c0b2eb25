/*---
grain = """\
one row per class of people by all columns of a link, with the number and the distance of the synthetic records \
nearest by the columns of each source"""
reads = "superset or merged_counts, near_sides"
---*/
{% from "macros/class_key.sql" import class_key_of, key_without, same_kept_key with context %}
{% from "macros/counts.sql" import records_of %}
WITH people_classes AS (
    SELECT {{ class_key }}, {{ key_without(sides[1]) }}
    FROM {{ link_classes }}
    WHERE {{ records_of(people_files) }} > 0
), met_by_a AS (
    SELECT {{ class_key_of("people_classes") }}, near_a.radius AS radius_a, near_a.n_nearest AS n_near_a
    FROM people_classes
    JOIN (
        {{ near_sides[0] | indent(8) }}
    ) AS near_a ON {{ same_kept_key("people_classes", "near_a") }}
), of_a AS (
    SELECT {{ class_key }}, {{ key_without(sides[0]) }}, radius_a, n_near_a
    FROM met_by_a
)
SELECT
    {{ class_key_of("of_a") }}, of_a.radius_a AS radius_a, of_a.n_near_a AS n_near_a,
    near_b.radius AS radius_b, near_b.n_nearest AS n_near_b
FROM of_a
JOIN (
    {{ near_sides[1] | indent(4) }}
) AS near_b ON {{ same_kept_key("of_a", "near_b") }}
