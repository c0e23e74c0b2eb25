/*---
grain = "one row per class of one target, for one comparison: sums over the levels that the class has"
reads = "ranked_cells, level_totals"
---*/
{% from "macros/numbers.sql" import share, quotient %}
SELECT
    {{ class }}, class_orig, class_syn, top_syn, least_counted, n_levels_all,
    COUNT(CASE WHEN cell_orig > 0 THEN 1 END) AS n_levels_orig,
    SUM(
        CASE
            WHEN cell_orig > 0
                THEN -{{ quotient("cell_orig", "class_orig") }} * LN({{ quotient("cell_orig", "class_orig") }})
            ELSE 0
        END
    ) AS entropy_orig,
    -- Recursive (2,l): r_j + ... + r_m, counts in falling order, against r_1. The first counts always: 2 * all > r_1.
    COUNT(CASE WHEN cell_orig > 0 AND 2 * upto_orig > top_orig THEN 1 END) AS l_recursive,
    COUNT(CASE WHEN cell_syn = top_syn AND top_syn > 0 THEN 1 END) AS n_modal,
    CAST(SUM(cell_people) AS {{ number }}) AS people,
    CAST(SUM(cell_counted) AS {{ number }}) AS counted_orig,
    CAST(
        SUM(CASE WHEN cell_syn = top_syn AND top_syn > 0 THEN cell_counted ELSE 0 END) AS {{ number }}
    ) AS counted_modal,
    SUM(CAST(cell_counted AS DOUBLE) * {{ share("n_syn_level", "n_syn_all") }}) AS expected_shuffled,
    -- People guessed right without their keys: by the most frequent level of a file (ties split evenly), by any of its
    -- levels.
    SUM(
        CASE WHEN n_syn_level = top_level_syn THEN {{ share("cell_counted", "n_mode_syn") }} ELSE 0 END
    ) AS expected_mode,
    SUM(
        CASE WHEN n_orig_level = top_level_orig THEN {{ share("cell_counted", "n_mode_orig") }} ELSE 0 END
    ) AS expected_mode_orig,
    SUM(CASE WHEN n_syn_level > 0 THEN {{ share("cell_counted", "n_levels_syn") }} ELSE 0 END) AS expected_uniform,
    COUNT(CASE WHEN cell_orig > 0 AND cell_counted = least_counted THEN 1 END) AS n_least
FROM (
    {{ ranked_cells | indent(4) }}
) AS cells_of_class
CROSS JOIN (
    {{ level_totals | indent(4) }}
) AS target_levels
GROUP BY {{ class }}, class_orig, class_syn, top_syn, least_counted, n_levels_all
