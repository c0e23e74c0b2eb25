/*---
grain = """\
one row per class by the columns of one source, with the number and the distance of the nearest synthetic records"""
reads = "merged_counts, neighbours"
source = "Giomi et al. 2023 (Anonymeter), linkability: the record nearest on each side"
---*/
{% from "macros/class_key.sql" import as_kept_key with context %}
{% from "macros/counts.sql" import records_of %}
-- Records with the same levels are the nearest, at distance 0. If there is none, the nearest records are those found by
-- the search over radii.
SELECT
    {{ as_kept_key() }}, 0 AS radius, {{ records_of(comparison.members) }} AS n_nearest
FROM {{ side_classes }}
WHERE {{ records_of(comparison.members) }} > 0
UNION ALL
SELECT
    {{ as_kept_key() }}, radius, CAST(SUM(n_near) AS BIGINT) AS n_nearest
FROM {{ side_neighbours }}
GROUP BY {{ class_key }}, radius
