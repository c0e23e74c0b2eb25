/*---
grain = "one row per pattern: all cells of one comparison with the same counts of cell, class and level (and the same reason of exclusion)"
reads = "compared_cells"
---*/
-- This is what a measure over cells reads. A measure sees a cell only through its counts, so cells that look alike are taken
-- together: millions of cells are some thousands of patterns. What the intruder sees (n_*, share_*) is that of each cell of
-- the pattern; who is counted (people, synthetic, counted_*, n_cells) is summed over them.
SELECT
    n_orig, n_syn, n_orig_class, n_syn_class,
    CAST(n_orig AS DOUBLE) / NULLIF(CAST(n_orig_class AS DOUBLE), 0) AS share_orig,
    CAST(n_syn AS DOUBLE) / NULLIF(CAST(n_syn_class AS DOUBLE), 0) AS share_syn,
    CAST(n_orig_level AS DOUBLE) / NULLIF(CAST(n_orig_all AS DOUBLE), 0) AS share_level,
    n_cells,
    sum_people AS people, synthetic,
    sum_counted_orig AS counted_orig, sum_counted_orig_class AS counted_orig_class, sum_counted_syn AS counted_syn
FROM (
    SELECT
        n_orig, n_syn, n_orig_class, n_syn_class, n_orig_level, n_orig_all,
        COUNT(*) AS n_cells,
        CAST(SUM(people) AS BIGINT) AS sum_people,
        CAST(SUM(n_syn) AS BIGINT) AS synthetic,
        CAST(SUM(counted_orig) AS BIGINT) AS sum_counted_orig,
        CAST(SUM(counted_orig_class) AS BIGINT) AS sum_counted_orig_class,
        CAST(SUM(counted_syn) AS BIGINT) AS sum_counted_syn
    FROM (
        {{ compared | indent(8) }}
    ) AS compared
    GROUP BY n_orig, n_syn, n_orig_class, n_syn_class, n_orig_level, n_orig_all{{ ", excluded_orig, excluded_syn" if excludes }}
) AS counted
