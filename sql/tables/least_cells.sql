/*---
grain = """\
one row per class and level of one target that fewest people of the class have, ordered by the value of a measure \
(least first), then by people in the class (most first)"""
reads = "profiles, compared_cells, marginals"
---*/
{% from "macros/class_key.sql" import class_key_of, same_class with context %}
{% from "macros/together.sql" import place with context %}
-- A level that a class lacks is also a cell, without people. Only listed classes are joined to levels.
SELECT
    {{ place() }}, {{ class_key }}, level_code,
    COALESCE(cell_orig, 0) AS n_orig, COALESCE(cell_syn, 0) AS n_syn, class_orig AS n_orig_class,
    class_syn AS n_syn_class, least
FROM (
    SELECT
        {{ class_key_of("low_classes") }}, target_levels.level_code AS level_code,
        cells.cell_orig AS cell_orig, cells.cell_syn AS cell_syn,
        low_classes.class_orig AS class_orig, low_classes.class_syn AS class_syn, low_classes.least AS least,
        low_classes.counted_low AS counted_low, COALESCE(cells.cell_counted, 0) AS counted_here
    FROM (
        SELECT {{ class_key }}, n_orig AS class_orig, n_syn AS class_syn, counted_low, {{ least }} AS least
        FROM (
            {{ profiles | indent(12) }}
        ) AS profiles
        WHERE people > 0
        ORDER BY least, class_orig DESC, {{ class_key }}
        LIMIT {{ limit }}
    ) AS low_classes
    CROSS JOIN (SELECT level_code FROM {{ marginals }} WHERE {{ comparison.people.count }} > 0) AS target_levels
    LEFT JOIN (
        SELECT {{ class_key }}, level_code, n_orig AS cell_orig, n_syn AS cell_syn, counted_orig AS cell_counted
        FROM (
            {{ compared | indent(12) }}
        ) AS compared
    ) AS cells ON {{ same_class("low_classes", "cells") }} AND target_levels.level_code = cells.level_code
) AS pairs
{# unchanged by [= → <=]: no value is below the minimum #}
WHERE counted_here = counted_low
ORDER BY least, n_orig_class DESC, {{ class_key }}, level_code
LIMIT {{ limit }}
