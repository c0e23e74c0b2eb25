/*---
grain = """\
one row per cell of the table that is permuted at random: each class by each level of the target, both of the \
original"""
reads = "classes, cells, marginals"
---*/
{% from "macros/class_key.sql" import class_key_of, same_class with context %}
SELECT
    CAST(ROW_NUMBER() OVER (ORDER BY {{ class_key }}, level_code) AS BIGINT) AS place,
    {{ class_key }}, level_code, class_orig AS n_orig_class, COALESCE(cell_orig, 0) AS n_orig
FROM (
    SELECT
        {{ class_key_of("classes") }}, target_levels.level_code AS level_code,
        classes.n_orig AS class_orig, cells.n_orig AS cell_orig
    FROM {{ classes }} AS classes
    {# unchanged by [> → >=]: each level of a single file has a record #}
    CROSS JOIN (SELECT level_code FROM {{ marginals }} WHERE n_orig > 0) AS target_levels
    LEFT JOIN {{ cells }} AS cells ON {{ same_class("classes", "cells") }}
        AND target_levels.level_code = cells.level_code
) AS pairs
