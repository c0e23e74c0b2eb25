/*---
grain = "one row per class and level of one target where the number of a measure is least, most people in the class first; then the next ones"
reads = "profiles, compared_cells, marginals"
---*/
-- A level that a class lacks makes a cell too: nobody of the class has it. Only the classes that come first are looked at.
SELECT {{ limbs | join(", ") }}, level_code, n_orig, n_syn, n_orig_class, n_syn_class, least
FROM (
    SELECT
        {%+ for limb in limbs %}low_classes.{{ limb }} AS {{ limb }}, {% endfor %}target_levels.level_code AS level_code,
        COALESCE(cells.n_orig, 0) AS n_orig, COALESCE(cells.n_syn, 0) AS n_syn,
        low_classes.n_orig AS n_orig_class, low_classes.n_syn AS n_syn_class, low_classes.least AS least,
        low_classes.counted_low AS counted_low, COALESCE(cells.counted_orig, 0) AS counted_cell
    FROM (
        SELECT {{ limbs | join(", ") }}, n_orig, n_syn, counted_low, {{ least }} AS least
        FROM (
            {{ profiles | indent(12) }}
        ) AS profiles
        WHERE people > 0
        ORDER BY least, n_orig DESC, {{ limbs | join(", ") }}
        LIMIT {{ limit }}
    ) AS low_classes
    CROSS JOIN (SELECT level_code FROM {{ marginals }} WHERE {{ comparison.people.count }} > 0) AS target_levels
    LEFT JOIN (
        {{ compared | indent(8) }}
    ) AS cells ON {% for limb in limbs %}low_classes.{{ limb }} = cells.{{ limb }} AND {% endfor %}target_levels.level_code = cells.level_code
) AS pairs
WHERE counted_cell = counted_low
ORDER BY least, n_orig_class DESC, {{ limbs | join(", ") }}, level_code
LIMIT {{ limit }}
