/*---
grain = """\
one row per cell of a class of people without own synthetic records, with the number of nearest records that have the \
cell's level"""
reads = "cells, neighbours"
---*/
{% from "macros/class_key.sql" import class_key_of, by_class_key, same_class, of_pass with context %}
{% from "macros/counts.sql" import counts_of %}
-- The neighbors of a class are joined to its cells and summed in one step, because a mean over people needs no level
-- that the class lacks.
SELECT
    {{ class_key_of("cells") }}, cells.level_code AS level_code,
{% for file in people_files %}
    cells.{{ file.count }} AS {{ file.count }}, cells.{{ file.count_class }} AS {{ file.count_class }},
{% endfor %}
    CAST(SUM(CASE WHEN near.near_level = cells.level_code THEN near.n_level ELSE 0 END) AS BIGINT) AS n_near,
    CAST(SUM(near.n_level) AS BIGINT) AS n_near_class,
    {# unchanged by [0 → 1]: every size limit is at least 1 #}
    {# unchanged by [MAX → MIN]: all rows of a group have one value #}
    {# unchanged by AS [radius → n_orig]: UNION ALL matches columns by position #}
    0 AS n_same, MAX(near.found_at) AS radius
FROM {{ cells }} AS cells
JOIN (
    SELECT {{ class_key }}, level_code AS near_level, n_near AS n_level, radius AS found_at
    FROM {{ neighbours }}{{ of_pass() }}
) AS near ON {{ same_class("cells", "near") }}
GROUP BY
    {{ by_class_key("cells") }}, cells.level_code,
    {{ counts_of(people_files, table="cells") }}, {{ counts_of(people_files, "_class", "cells") }}
