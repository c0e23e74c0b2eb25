-- ======== plain

-- DiSCO: Correctly disclosed: all matching synthetic records agree on the target, and they are right
-- 100 * sum of d_tq where s_tq = s_q > 0, / N_d (percent of original records)
-- Source: Raab 2024, eq. 11 (Disclosive in Synthetic, Correct in Original)
-- It leaves the tables levels_k1, levels_k2, levels_t1, files, marginals_t1, records, cells_t1,
-- classes, cell_parts, results: drop them before you run it again.

SET TimeZone = 'UTC';

CREATE TABLE levels_k1 AS
SELECT
    value,
    CASE
        WHEN value IS NULL THEN 0
        ELSE CAST(ROW_NUMBER() OVER (ORDER BY CASE WHEN value IS NULL THEN 1 ELSE 0 END, value) AS INTEGER)
    END AS code,
    n_orig, n_syn_1
FROM (
SELECT
    value,
    CAST(SUM(CASE WHEN file = 0 THEN n ELSE 0 END) AS BIGINT) AS n_orig,
    CAST(SUM(CASE WHEN file = 1 THEN n ELSE 0 END) AS BIGINT) AS n_syn_1
FROM (
    SELECT value, 0 AS file, COUNT(*) AS n
    FROM (SELECT "sex" AS value FROM original) AS source_0
    GROUP BY value
    UNION ALL
    SELECT value, 1 AS file, COUNT(*) AS n
    FROM (SELECT "sex" AS value FROM synthetic) AS source_1
    GROUP BY value
) AS per_file
GROUP BY value
) AS counted;

CREATE TABLE levels_k2 AS
SELECT
    value,
    CASE
        WHEN value IS NULL THEN 0
        ELSE CAST(ROW_NUMBER() OVER (ORDER BY CASE WHEN value IS NULL THEN 1 ELSE 0 END, value) AS INTEGER)
    END AS code,
    n_orig, n_syn_1
FROM (
SELECT
    value,
    CAST(SUM(CASE WHEN file = 0 THEN n ELSE 0 END) AS BIGINT) AS n_orig,
    CAST(SUM(CASE WHEN file = 1 THEN n ELSE 0 END) AS BIGINT) AS n_syn_1
FROM (
    SELECT value, 0 AS file, COUNT(*) AS n
    FROM (SELECT "age" AS value FROM original) AS source_0
    GROUP BY value
    UNION ALL
    SELECT value, 1 AS file, COUNT(*) AS n
    FROM (SELECT "age" AS value FROM synthetic) AS source_1
    GROUP BY value
) AS per_file
GROUP BY value
) AS counted;

CREATE TABLE levels_t1 AS
SELECT
    value,
    CASE
        WHEN value IS NULL THEN 0
        ELSE CAST(ROW_NUMBER() OVER (ORDER BY CASE WHEN value IS NULL THEN 1 ELSE 0 END, value) AS INTEGER)
    END AS code,
    n_orig, n_syn_1
FROM (
SELECT
    value,
    CAST(SUM(CASE WHEN file = 0 THEN n ELSE 0 END) AS BIGINT) AS n_orig,
    CAST(SUM(CASE WHEN file = 1 THEN n ELSE 0 END) AS BIGINT) AS n_syn_1
FROM (
    SELECT value, 0 AS file, COUNT(*) AS n
    FROM (SELECT "ill" AS value FROM original) AS source_0
    GROUP BY value
    UNION ALL
    SELECT value, 1 AS file, COUNT(*) AS n
    FROM (SELECT "ill" AS value FROM synthetic) AS source_1
    GROUP BY value
) AS per_file
GROUP BY value
) AS counted;

CREATE TABLE files AS
SELECT
    CAST(SUM(records_0) AS BIGINT) AS n_orig,
    CAST(SUM(records_1) AS BIGINT) AS n_syn_1
FROM (
    SELECT
        n_orig AS records_0,
        n_syn_1 AS records_1
    FROM levels_k1
) AS levels;

CREATE TABLE marginals_t1 AS
SELECT
    level_code,
    CAST(SUM(records_0) AS BIGINT) AS n_orig,
    n_orig_all,
    CAST(SUM(records_1) AS BIGINT) AS n_syn_1,
    n_syn_all_1,
    MAX(is_excluded) AS excluded_level
FROM (
    SELECT
        levels.code AS level_code,
        levels.n_orig AS records_0,
        files.n_orig AS n_orig_all,
        levels.n_syn_1 AS records_1,
        files.n_syn_1 AS n_syn_all_1,
        0 AS is_excluded
    FROM levels_t1 AS levels
    CROSS JOIN files AS files
) AS seen
GROUP BY level_code, n_orig_all, n_syn_all_1;

CREATE TABLE records AS
-- The class key packs the key codes by mixed radix (k1 + n1*(k2 + n2*k3 ...)): exact and invertible, without hashing.
-- If the product of the numbers of levels exceeds 2^62, a further column begins. p1 and so on are 1 if the person
-- belongs to a population, or the code of the person's level for the populations of a column. weight is the survey
-- weight. Synthetic records have 0 in all of them.
SELECT
    CAST(0 AS INTEGER) AS file,
    CAST(COALESCE(k1.code, 0) AS BIGINT) AS class_key,
    CAST(COALESCE(k2.code, 0) AS BIGINT) AS class_key_2,
    COALESCE(t1.code, 0) AS t1
FROM (
    SELECT
        "sex" AS value_k1,
        "age" AS value_k2,
        "ill" AS value_t1
    FROM original
) AS source
LEFT JOIN levels_k1 AS k1 ON source.value_k1 = k1.value
LEFT JOIN levels_k2 AS k2 ON source.value_k2 = k2.value
LEFT JOIN levels_t1 AS t1 ON source.value_t1 = t1.value
UNION ALL
-- The class key packs the key codes by mixed radix (k1 + n1*(k2 + n2*k3 ...)): exact and invertible, without hashing.
-- If the product of the numbers of levels exceeds 2^62, a further column begins. p1 and so on are 1 if the person
-- belongs to a population, or the code of the person's level for the populations of a column. weight is the survey
-- weight. Synthetic records have 0 in all of them.
SELECT
    CAST(1 AS INTEGER) AS file,
    CAST(COALESCE(k1.code, 0) AS BIGINT) AS class_key,
    CAST(COALESCE(k2.code, 0) AS BIGINT) AS class_key_2,
    COALESCE(t1.code, 0) AS t1
FROM (
    SELECT
        "sex" AS value_k1,
        "age" AS value_k2,
        "ill" AS value_t1
    FROM synthetic
) AS source
LEFT JOIN levels_k1 AS k1 ON source.value_k1 = k1.value
LEFT JOIN levels_k2 AS k2 ON source.value_k2 = k2.value
LEFT JOIN levels_t1 AS t1 ON source.value_t1 = t1.value;

CREATE TABLE cells_t1 AS
-- For databases that write records slowly or move them between machines, and in DuckDB for few records or classes.
-- Records are read once per target, and no class is looked up. If cells are counted by sorting, they are already in the
-- order that the window needs.
SELECT
    class_key, class_key_2, level_code,
    CASE WHEN level_code = MIN(level_code) OVER (PARTITION BY class_key, class_key_2) THEN 1 ELSE 0 END AS least_level,
    CAST(SUM(n_orig) OVER (PARTITION BY class_key, class_key_2) AS BIGINT) AS n_orig_class,
    CAST(SUM(n_syn_1) OVER (PARTITION BY class_key, class_key_2) AS BIGINT) AS n_syn_class_1,
    n_orig,
    n_syn_1
FROM (
    SELECT
        class_key, class_key_2, t1 AS level_code,
        COUNT(CASE WHEN file = 0 THEN 1 END) AS n_orig,
        COUNT(CASE WHEN file = 1 THEN 1 END) AS n_syn_1
    FROM records
    GROUP BY class_key, class_key_2, t1
) AS counted;

CREATE TABLE classes AS
SELECT
    class_key, class_key_2,
    n_orig_class AS n_orig,
    n_syn_class_1 AS n_syn_1
FROM cells_t1
WHERE least_level = 1;

CREATE TABLE cell_parts AS
SELECT
    1 AS target, 1 AS comparison, 0 AS population,
    CAST(SUM(CASE WHEN (n_syn = n_syn_class AND n_syn > 0 AND n_orig > 0) THEN counted_orig ELSE 0 END) AS BIGINT) AS disco_numerator,
    CAST(SUM(people) AS BIGINT) AS disco_denominator
FROM (
    -- Measures over cells read this table. A measure reads only the counts of a cell, so cells with equal counts are
    -- combined: millions of cells become some thousands of rows. What the intruder sees (n_*, share_*) is the value of each
    -- single cell. Who is counted (people, synthetic, counted_*, n_cells) is summed over the cells. counted_most is the
    -- greatest number of people counted in one cell. In a population it can be less than n_orig.
    SELECT
        n_orig, n_syn, n_orig_class, n_syn_class,
        n_orig AS n_base, n_orig_class AS n_base_class, n_orig_level, n_orig_all,
        CAST(n_orig AS DOUBLE) / NULLIF(CAST(n_orig_class AS DOUBLE), 0) AS share_orig,
        CAST(n_syn AS DOUBLE) / NULLIF(CAST(n_syn_class AS DOUBLE), 0) AS share_syn,
        CAST(n_orig_level AS DOUBLE) / NULLIF(CAST(n_orig_all AS DOUBLE), 0) AS share_level,
        n_cells,
        sum_people AS people, synthetic,
        sum_counted_orig AS counted_orig, sum_counted_orig_class AS counted_orig_class, sum_counted_syn AS counted_syn,
        counted_most
    FROM (
        SELECT
            n_orig, n_syn, n_orig_class, n_syn_class, n_orig_level, n_orig_all,
            COUNT(*) AS n_cells,
            CAST(SUM(people) AS BIGINT) AS sum_people,
            CAST(SUM(n_syn) AS BIGINT) AS synthetic,
            CAST(SUM(counted_orig) AS BIGINT) AS sum_counted_orig,
            CAST(SUM(counted_orig_class) AS BIGINT) AS sum_counted_orig_class,
            CAST(SUM(counted_syn) AS BIGINT) AS sum_counted_syn,
            MAX(counted_orig) AS counted_most
        FROM (
            -- There are two kinds of columns. What the intruder sees: n_orig, n_syn and their totals over the class, the level and
            -- the file. They decide which cells are disclosive, and every proportion. Who is counted: people, and counted_* after
            -- exclusions. Numerators are sums of these. n_orig counts the file of the people, original or control.
            SELECT
                class_key, class_key_2, level_code,
                n_own AS n_orig, n_syn, n_own_class AS n_orig_class, n_syn_class, n_orig_level, n_syn_level, n_orig_all, n_syn_all, n_base, n_base_class,
                n_own AS people,
                n_own AS counted_orig, n_own_class AS counted_orig_class, n_syn AS counted_syn
            FROM (
                -- n_own counts the file of the people, original or control. n_base always counts the original, whose CAPd and baseline
                -- are the reference. n_revealing is the number of compared files that reveal the level by themselves. It is made only
                -- if a measure reads it.
                SELECT
                    cells.class_key AS class_key, cells.class_key_2 AS class_key_2, cells.level_code AS level_code,
                    cells.n_orig AS n_own, cells.n_syn_1 AS n_syn,
                    cells.n_orig_class AS n_own_class,
                    cells.n_syn_class_1 AS n_syn_class,
                    marginals.n_orig AS n_orig_level, marginals.n_syn_1 AS n_syn_level,
                    marginals.n_orig_all AS n_orig_all, marginals.n_syn_all_1 AS n_syn_all,
                    cells.n_orig AS n_base, cells.n_orig_class AS n_base_class,
                    marginals.excluded_level AS excluded_level
                FROM cells_t1 AS cells
                JOIN marginals_t1 AS marginals ON cells.level_code = marginals.level_code
            ) AS seen
        ) AS compared
        GROUP BY n_orig, n_syn, n_orig_class, n_syn_class, n_orig_level, n_orig_all
    ) AS counted
) AS cells;

CREATE TABLE results AS
-- The only place where percentages of measures are computed. A denominator of 0 gives NULL, never 0.
SELECT
    measure, point, target, comparison, population, weighted, numerator, denominator,
    COALESCE(factor * plain, factor * CAST(numerator AS DOUBLE) / NULLIF(CAST(denominator AS DOUBLE), 0)) AS value
FROM (
    SELECT
        'DiSCO' AS measure, CAST(NULL AS DOUBLE) AS point,
        target, comparison, population,
        0 AS weighted,
        CAST(SUM(disco_numerator) AS DOUBLE) AS numerator,
        CAST(SUM(disco_denominator) AS DOUBLE) AS denominator, CAST(NULL AS DOUBLE) AS plain,
        CAST(100 AS DOUBLE) AS factor
    FROM cell_parts
    GROUP BY target, comparison, population
) AS fractions;

SELECT measure, point, target, comparison, numerator, denominator, value
FROM results
WHERE measure = 'DiSCO'
ORDER BY point, target, comparison;

-- ======== example

-- UiO: Unique in original
-- 100 * number of people with d_q = 1, / N_d (percent of original records)
-- Source: Raab 2024, eq. 2
-- It leaves the tables levels_k1, levels_k2, levels_t1, files, marginals_t1, records, classes,
-- class_parts, results: drop them before you run it again.

SET TimeZone = 'UTC';

-- CREATE TABLE levels_k1 AS ... (as in plain)

-- CREATE TABLE levels_k2 AS ... (as in plain)

CREATE TABLE levels_t1 AS
SELECT
    value,
    CASE
        WHEN value IS NULL THEN 0
        ELSE CAST(ROW_NUMBER() OVER (ORDER BY CASE WHEN value IS NULL THEN 1 ELSE 0 END, value) AS INTEGER)
    END AS code,
    n_orig, n_syn_1
FROM (
SELECT
    value,
    CAST(SUM(CASE WHEN file = 0 THEN n ELSE 0 END) AS BIGINT) AS n_orig,
    CAST(SUM(CASE WHEN file = 1 THEN n ELSE 0 END) AS BIGINT) AS n_syn_1
FROM (
    SELECT value, 0 AS file, COUNT(*) AS n
    FROM (SELECT "income" AS value FROM original) AS source_0
    GROUP BY value
    UNION ALL
    SELECT value, 1 AS file, COUNT(*) AS n
    FROM (SELECT "income" AS value FROM synthetic) AS source_1
    GROUP BY value
) AS per_file
GROUP BY value
) AS counted;

-- CREATE TABLE files AS ... (as in plain)

-- CREATE TABLE marginals_t1 AS ... (as in plain)

CREATE TABLE records AS
-- The class key packs the key codes by mixed radix (k1 + n1*(k2 + n2*k3 ...)): exact and invertible, without hashing.
-- If the product of the numbers of levels exceeds 2^62, a further column begins. p1 and so on are 1 if the person
-- belongs to a population, or the code of the person's level for the populations of a column. weight is the survey
-- weight. Synthetic records have 0 in all of them.
SELECT
    CAST(0 AS INTEGER) AS file,
    CAST(COALESCE(k1.code, 0) AS BIGINT) AS class_key,
    CAST(COALESCE(k2.code, 0) AS BIGINT) AS class_key_2,
    COALESCE(t1.code, 0) AS t1
FROM (
    SELECT
        "sex" AS value_k1,
        "age" AS value_k2,
        "income" AS value_t1
    FROM original
) AS source
LEFT JOIN levels_k1 AS k1 ON source.value_k1 = k1.value
LEFT JOIN levels_k2 AS k2 ON source.value_k2 = k2.value
LEFT JOIN levels_t1 AS t1 ON source.value_t1 = t1.value
UNION ALL
-- The class key packs the key codes by mixed radix (k1 + n1*(k2 + n2*k3 ...)): exact and invertible, without hashing.
-- If the product of the numbers of levels exceeds 2^62, a further column begins. p1 and so on are 1 if the person
-- belongs to a population, or the code of the person's level for the populations of a column. weight is the survey
-- weight. Synthetic records have 0 in all of them.
SELECT
    CAST(1 AS INTEGER) AS file,
    CAST(COALESCE(k1.code, 0) AS BIGINT) AS class_key,
    CAST(COALESCE(k2.code, 0) AS BIGINT) AS class_key_2,
    COALESCE(t1.code, 0) AS t1
FROM (
    SELECT
        "sex" AS value_k1,
        "age" AS value_k2,
        "income" AS value_t1
    FROM synthetic
) AS source
LEFT JOIN levels_k1 AS k1 ON source.value_k1 = k1.value
LEFT JOIN levels_k2 AS k2 ON source.value_k2 = k2.value
LEFT JOIN levels_t1 AS t1 ON source.value_t1 = t1.value;

CREATE TABLE classes AS
SELECT
    class_key, class_key_2,
    COUNT(CASE WHEN file = 0 THEN 1 END) AS n_orig,
    COUNT(CASE WHEN file = 1 THEN 1 END) AS n_syn_1
FROM records
GROUP BY class_key, class_key_2;

CREATE TABLE class_parts AS
SELECT
    0 AS target, 1 AS comparison, 0 AS population,
    CAST(SUM(CASE WHEN (n_orig = 1) THEN counted_orig ELSE 0 END) AS BIGINT) AS uio_numerator,
    CAST(SUM(people) AS BIGINT) AS uio_denominator
FROM (
    -- What the intruder sees: n_orig, n_syn. Who is counted: people and synthetic, and counted_orig and counted_syn after
    -- exclusions. Excluded target levels do not matter here, because a class is found by its keys. n_orig counts the file
    -- of the people, original or control.
    SELECT
        class_key, class_key_2, n_own AS n_orig, n_syn,
        n_own AS people, n_syn AS synthetic,
        n_own AS counted_orig, n_syn AS counted_syn
    FROM (
        -- n_own counts the file of the people, original or control. n_replicating is the number of compared files that have
        -- exactly one record in the class. It is made only if a measure reads it.
        SELECT
            class_key, class_key_2,
            n_orig AS n_own, n_syn_1 AS n_syn
        FROM classes
    ) AS seen
) AS classes;

CREATE TABLE results AS
-- The only place where percentages of measures are computed. A denominator of 0 gives NULL, never 0.
SELECT
    measure, point, target, comparison, population, weighted, numerator, denominator,
    COALESCE(factor * plain, factor * CAST(numerator AS DOUBLE) / NULLIF(CAST(denominator AS DOUBLE), 0)) AS value
FROM (
    SELECT
        'UiO' AS measure, CAST(NULL AS DOUBLE) AS point,
        target, comparison, population,
        0 AS weighted,
        CAST(SUM(uio_numerator) AS DOUBLE) AS numerator,
        CAST(SUM(uio_denominator) AS DOUBLE) AS denominator, CAST(NULL AS DOUBLE) AS plain,
        CAST(100 AS DOUBLE) AS factor
    FROM class_parts
    GROUP BY target, comparison, population
) AS fractions;

SELECT measure, point, target, comparison, numerator, denominator, value
FROM results
WHERE measure = 'UiO'
ORDER BY point, target, comparison;

-- ======== one_target

-- DCAP: Correct attribution probability, a non-match counts as zero
-- 100 * sum of d_tq * (s_tq / s_q) / N_d (percent of original records)
-- Source: Raab 2024, eq. 6; Taub, Elliot, Pampaka & Smith 2018
-- It leaves the tables levels_k1, levels_k2, levels_t1, files, marginals_t1, records, cells_t1,
-- classes, cell_parts, results: drop them before you run it again.

SET TimeZone = 'UTC';

CREATE TABLE levels_k1 AS
SELECT
    value,
    CASE
        WHEN value IS NULL THEN 0
        ELSE CAST(ROW_NUMBER() OVER (ORDER BY CASE WHEN value IS NULL THEN 1 ELSE 0 END, value) AS INTEGER)
    END AS code,
    n_orig, n_syn_1
FROM (
SELECT
    value,
    CAST(SUM(CASE WHEN file = 0 THEN n ELSE 0 END) AS BIGINT) AS n_orig,
    CAST(SUM(CASE WHEN file = 1 THEN n ELSE 0 END) AS BIGINT) AS n_syn_1
FROM (
    SELECT value, 0 AS file, COUNT(*) AS n
    FROM (SELECT "sex" AS value FROM read_parquet(['original.parquet'])) AS source_0
    GROUP BY value
    UNION ALL
    SELECT value, 1 AS file, COUNT(*) AS n
    FROM (SELECT "sex" AS value FROM read_parquet(['syn_1.parquet'])) AS source_1
    GROUP BY value
) AS per_file
GROUP BY value
) AS counted;

CREATE TABLE levels_k2 AS
SELECT
    value,
    CASE
        WHEN value IS NULL THEN 0
        ELSE CAST(ROW_NUMBER() OVER (ORDER BY CASE WHEN value IS NULL THEN 1 ELSE 0 END, value) AS INTEGER)
    END AS code,
    n_orig, n_syn_1
FROM (
SELECT
    value,
    CAST(SUM(CASE WHEN file = 0 THEN n ELSE 0 END) AS BIGINT) AS n_orig,
    CAST(SUM(CASE WHEN file = 1 THEN n ELSE 0 END) AS BIGINT) AS n_syn_1
FROM (
    SELECT value, 0 AS file, COUNT(*) AS n
    FROM (SELECT "age" AS value FROM read_parquet(['original.parquet'])) AS source_0
    GROUP BY value
    UNION ALL
    SELECT value, 1 AS file, COUNT(*) AS n
    FROM (SELECT "age" AS value FROM read_parquet(['syn_1.parquet'])) AS source_1
    GROUP BY value
) AS per_file
GROUP BY value
) AS counted;

CREATE TABLE levels_t1 AS
SELECT
    value,
    CASE
        WHEN value IS NULL THEN 0
        ELSE CAST(ROW_NUMBER() OVER (ORDER BY CASE WHEN value IS NULL THEN 1 ELSE 0 END, value) AS INTEGER)
    END AS code,
    n_orig, n_syn_1
FROM (
SELECT
    value,
    CAST(SUM(CASE WHEN file = 0 THEN n ELSE 0 END) AS BIGINT) AS n_orig,
    CAST(SUM(CASE WHEN file = 1 THEN n ELSE 0 END) AS BIGINT) AS n_syn_1
FROM (
    SELECT value, 0 AS file, COUNT(*) AS n
    FROM (SELECT "ill" AS value FROM read_parquet(['original.parquet'])) AS source_0
    GROUP BY value
    UNION ALL
    SELECT value, 1 AS file, COUNT(*) AS n
    FROM (SELECT "ill" AS value FROM read_parquet(['syn_1.parquet'])) AS source_1
    GROUP BY value
) AS per_file
GROUP BY value
) AS counted;

-- CREATE TABLE files AS ... (as in plain)

-- CREATE TABLE marginals_t1 AS ... (as in plain)

CREATE TABLE records AS
-- The class key packs the key codes by mixed radix (k1 + n1*(k2 + n2*k3 ...)): exact and invertible, without hashing.
-- If the product of the numbers of levels exceeds 2^62, a further column begins. p1 and so on are 1 if the person
-- belongs to a population, or the code of the person's level for the populations of a column. weight is the survey
-- weight. Synthetic records have 0 in all of them.
SELECT
    CAST(0 AS INTEGER) AS file,
    CAST(COALESCE(k1.code, 0) AS BIGINT) + CAST(COALESCE(k2.code, 0) AS BIGINT) * 3 AS class_key,
    COALESCE(t1.code, 0) AS t1
FROM (
    SELECT
        "sex" AS value_k1,
        "age" AS value_k2,
        "ill" AS value_t1
    FROM read_parquet(['original.parquet'])
) AS source
LEFT JOIN levels_k1 AS k1 ON source.value_k1 = k1.value
LEFT JOIN levels_k2 AS k2 ON source.value_k2 = k2.value
LEFT JOIN levels_t1 AS t1 ON source.value_t1 = t1.value
UNION ALL
-- The class key packs the key codes by mixed radix (k1 + n1*(k2 + n2*k3 ...)): exact and invertible, without hashing.
-- If the product of the numbers of levels exceeds 2^62, a further column begins. p1 and so on are 1 if the person
-- belongs to a population, or the code of the person's level for the populations of a column. weight is the survey
-- weight. Synthetic records have 0 in all of them.
SELECT
    CAST(1 AS INTEGER) AS file,
    CAST(COALESCE(k1.code, 0) AS BIGINT) + CAST(COALESCE(k2.code, 0) AS BIGINT) * 3 AS class_key,
    COALESCE(t1.code, 0) AS t1
FROM (
    SELECT
        "sex" AS value_k1,
        "age" AS value_k2,
        "ill" AS value_t1
    FROM read_parquet(['syn_1.parquet'])
) AS source
LEFT JOIN levels_k1 AS k1 ON source.value_k1 = k1.value
LEFT JOIN levels_k2 AS k2 ON source.value_k2 = k2.value
LEFT JOIN levels_t1 AS t1 ON source.value_t1 = t1.value;

CREATE TABLE cells_t1 AS
-- For databases that write records slowly or move them between machines, and in DuckDB for few records or classes.
-- Records are read once per target, and no class is looked up. If cells are counted by sorting, they are already in the
-- order that the window needs.
SELECT
    class_key, level_code,
    CASE WHEN level_code = MIN(level_code) OVER (PARTITION BY class_key) THEN 1 ELSE 0 END AS least_level,
    CAST(SUM(n_orig) OVER (PARTITION BY class_key) AS BIGINT) AS n_orig_class,
    CAST(SUM(n_syn_1) OVER (PARTITION BY class_key) AS BIGINT) AS n_syn_class_1,
    n_orig,
    n_syn_1
FROM (
    SELECT
        class_key, t1 AS level_code,
        COUNT(CASE WHEN file = 0 THEN 1 END) AS n_orig,
        COUNT(CASE WHEN file = 1 THEN 1 END) AS n_syn_1
    FROM records
    GROUP BY class_key, t1
) AS counted;

CREATE TABLE classes AS
SELECT
    class_key,
    n_orig_class AS n_orig,
    n_syn_class_1 AS n_syn_1
FROM cells_t1
WHERE least_level = 1;

CREATE TABLE cell_parts AS
SELECT
    1 AS target, 1 AS comparison, 0 AS population,
    COALESCE(SUM(counted_orig * share_syn), 0) AS dcap_numerator,
    CAST(SUM(people) AS BIGINT) AS dcap_denominator
FROM (
    -- Measures over cells read this table. A measure reads only the counts of a cell, so cells with equal counts are
    -- combined: millions of cells become some thousands of rows. What the intruder sees (n_*, share_*) is the value of each
    -- single cell. Who is counted (people, synthetic, counted_*, n_cells) is summed over the cells. counted_most is the
    -- greatest number of people counted in one cell. In a population it can be less than n_orig.
    SELECT
        n_orig, n_syn, n_orig_class, n_syn_class,
        n_orig AS n_base, n_orig_class AS n_base_class, n_orig_level, n_orig_all,
        CAST(n_orig AS DOUBLE) / NULLIF(CAST(n_orig_class AS DOUBLE), 0) AS share_orig,
        CAST(n_syn AS DOUBLE) / NULLIF(CAST(n_syn_class AS DOUBLE), 0) AS share_syn,
        CAST(n_orig_level AS DOUBLE) / NULLIF(CAST(n_orig_all AS DOUBLE), 0) AS share_level,
        n_cells,
        sum_people AS people, synthetic,
        sum_counted_orig AS counted_orig, sum_counted_orig_class AS counted_orig_class, sum_counted_syn AS counted_syn,
        counted_most
    FROM (
        SELECT
            n_orig, n_syn, n_orig_class, n_syn_class, n_orig_level, n_orig_all,
            COUNT(*) AS n_cells,
            CAST(SUM(people) AS BIGINT) AS sum_people,
            CAST(SUM(n_syn) AS BIGINT) AS synthetic,
            CAST(SUM(counted_orig) AS BIGINT) AS sum_counted_orig,
            CAST(SUM(counted_orig_class) AS BIGINT) AS sum_counted_orig_class,
            CAST(SUM(counted_syn) AS BIGINT) AS sum_counted_syn,
            MAX(counted_orig) AS counted_most
        FROM (
            -- There are two kinds of columns. What the intruder sees: n_orig, n_syn and their totals over the class, the level and
            -- the file. They decide which cells are disclosive, and every proportion. Who is counted: people, and counted_* after
            -- exclusions. Numerators are sums of these. n_orig counts the file of the people, original or control.
            SELECT
                class_key, level_code,
                n_own AS n_orig, n_syn, n_own_class AS n_orig_class, n_syn_class, n_orig_level, n_syn_level, n_orig_all, n_syn_all, n_base, n_base_class,
                n_own AS people,
                n_own AS counted_orig, n_own_class AS counted_orig_class, n_syn AS counted_syn
            FROM (
                -- n_own counts the file of the people, original or control. n_base always counts the original, whose CAPd and baseline
                -- are the reference. n_revealing is the number of compared files that reveal the level by themselves. It is made only
                -- if a measure reads it.
                SELECT
                    cells.class_key AS class_key, cells.level_code AS level_code,
                    cells.n_orig AS n_own, cells.n_syn_1 AS n_syn,
                    cells.n_orig_class AS n_own_class,
                    cells.n_syn_class_1 AS n_syn_class,
                    marginals.n_orig AS n_orig_level, marginals.n_syn_1 AS n_syn_level,
                    marginals.n_orig_all AS n_orig_all, marginals.n_syn_all_1 AS n_syn_all,
                    cells.n_orig AS n_base, cells.n_orig_class AS n_base_class,
                    marginals.excluded_level AS excluded_level
                FROM cells_t1 AS cells
                JOIN marginals_t1 AS marginals ON cells.level_code = marginals.level_code
            ) AS seen
        ) AS compared
        GROUP BY n_orig, n_syn, n_orig_class, n_syn_class, n_orig_level, n_orig_all
    ) AS counted
) AS cells;

CREATE TABLE results AS
-- The only place where percentages of measures are computed. A denominator of 0 gives NULL, never 0.
SELECT
    measure, point, target, comparison, population, weighted, numerator, denominator,
    COALESCE(factor * plain, factor * CAST(numerator AS DOUBLE) / NULLIF(CAST(denominator AS DOUBLE), 0)) AS value
FROM (
    SELECT
        'DCAP' AS measure, CAST(NULL AS DOUBLE) AS point,
        target, comparison, population,
        0 AS weighted,
        CAST(SUM(dcap_numerator) AS DOUBLE) AS numerator,
        CAST(SUM(dcap_denominator) AS DOUBLE) AS denominator, CAST(NULL AS DOUBLE) AS plain,
        CAST(100 AS DOUBLE) AS factor
    FROM cell_parts
    GROUP BY target, comparison, population
) AS fractions;

SELECT measure, point, target, comparison, numerator, denominator, value
FROM results
WHERE measure = 'DCAP'
ORDER BY point, target, comparison;

-- ======== bins

-- CAP_at_least: Correct attribution probability from cells with a share of at least the threshold
-- 100 * sum of d_tq * (s_tq / s_q) over cells with s_tq / s_q >= tau, / N_d (percent of original records)
-- Source: Raab, Nowok & Dibben, vignette 'disclosure' of synthpop 1.9-3, sect. 3.3 (the idea of a threshold tau; at tau = 1 it is DiSCO)
-- It leaves the tables levels_k1, values_k2, breaks_k2, levels_k2, levels_t1, levels_t2, files,
-- marginals_t1, marginals_t2, records, cells_t1, classes, cells_t2, cell_parts, results: drop them
-- before you run it again.

SET TimeZone = 'UTC';

-- CREATE TABLE levels_k1 AS ... (as in one_target)

CREATE TABLE values_k2 AS
SELECT
    value,
    CAST(SUM(CASE WHEN file = 0 THEN n ELSE 0 END) AS BIGINT) AS n_orig,
    CAST(SUM(CASE WHEN file = 1 THEN n ELSE 0 END) AS BIGINT) AS n_syn_1
FROM (
    SELECT value, 0 AS file, COUNT(*) AS n
    FROM (SELECT "age" AS value FROM read_parquet(['original.parquet'])) AS source_0
    GROUP BY value
    UNION ALL
    SELECT value, 1 AS file, COUNT(*) AS n
    FROM (SELECT "age" AS value FROM read_parquet(['syn_1.parquet'])) AS source_1
    GROUP BY value
) AS per_file
GROUP BY value;

CREATE TABLE breaks_k2 AS
-- Bins are made in one of three ways. Each value is its own bin if there are no more values than bins. Otherwise bins
-- lie between quantiles, unless tied quantiles would leave fewer than 3 groups, special values included. Then bins have
-- equal widths.
WITH ranked AS (
    -- Values of the original and the syntheses are pooled. Control is never included. Bins of equal width cover
    -- the finite values.
    SELECT
        x,
        upto - n AS records_below,
        upto AS records_upto,
        MAX(upto) OVER () - 1 AS last_position,
        COUNT(*) OVER () AS distinct_values,
        MIN(CASE WHEN x - x = 0 THEN x END) OVER () AS smallest,
        MAX(CASE WHEN x - x = 0 THEN x END) OVER () AS largest
    FROM (
        SELECT x, n, CAST(SUM(n) OVER (ORDER BY x ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS BIGINT) AS upto
        FROM (
            SELECT CAST(value AS DOUBLE) AS x, n_orig + n_syn_1 AS n
            FROM values_k2
            WHERE CAST(value AS DOUBLE) IS NOT NULL AND value <> -8
        ) AS numbers
        WHERE n > 0
    ) AS cumulated
), bounds AS (
    -- Position k of 4 is (N-1)*k/4. Both sides of a comparison are multiplied by
    -- 4, so they are integers and nothing is rounded.
    SELECT
        k,
        -- Rounding must not move a value into another bin. A bin includes its low end, so a break between two values is
        -- above the lower one and at most the upper one.
        CASE
            WHEN below.x = above.x THEN below.x
            WHEN (1 - share) * below.x + share * above.x <= below.x THEN above.x
            WHEN (1 - share) * below.x + share * above.x > above.x THEN above.x
            ELSE (1 - share) * below.x + share * above.x
        END AS quantile,
        CAST(below.smallest * (4 - k) + below.largest * k AS DOUBLE) / CAST(4 AS DOUBLE) AS equal_width,
        below.distinct_values AS distinct_values
    FROM (
        SELECT
            k, last_position * k AS scaled,
            CAST((last_position * k) % 4 AS DOUBLE) / CAST(4 AS DOUBLE) AS share
        FROM (SELECT DISTINCT last_position FROM ranked) AS counted
        CROSS JOIN (
            SELECT 0 AS k
            UNION ALL
            SELECT 1 AS k
            UNION ALL
            SELECT 2 AS k
            UNION ALL
            SELECT 3 AS k
            UNION ALL
            SELECT 4 AS k
        ) AS ks
    ) AS positions
    JOIN ranked AS below ON below.records_below * 4 <= scaled
        AND scaled < below.records_upto * 4
    JOIN ranked AS above ON (above.records_below - 1) * 4 < scaled
        AND scaled <= (above.records_upto - 1) * 4
), ties AS (
    SELECT COUNT(DISTINCT quantile) AS distinct_quantiles FROM bounds
), by_quantile AS (
    SELECT
        low, LEAD(low) OVER (ORDER BY low) AS high,
        COUNT(*) OVER () - 1 + 1 AS n_groups
    FROM (SELECT DISTINCT quantile AS low FROM bounds WHERE distinct_values > 4) AS quantiles
), equally_wide AS (
    SELECT
        equal_width AS low, LEAD(equal_width) OVER (ORDER BY k) AS high,
        distinct_quantiles - 1 + 1 AS n_groups
    FROM bounds
    CROSS JOIN ties
    WHERE distinct_values > 4
), bins AS (
    SELECT x AS low, x AS high, 0 AS equal_width FROM ranked WHERE distinct_values <= 4
    UNION ALL
    SELECT low, high, 0 AS equal_width FROM by_quantile WHERE high IS NOT NULL AND n_groups >= 3
    UNION ALL
    SELECT low, high, 1 AS equal_width FROM equally_wide WHERE high IS NOT NULL AND n_groups < 3
)
SELECT
    CAST(ROW_NUMBER() OVER (ORDER BY low) AS INTEGER) AS bin,
    low,
    high,
    CASE WHEN low = high OR low = MAX(low) OVER () THEN 1 ELSE 0 END AS closed,
    equal_width
FROM bins;

CREATE TABLE levels_k2 AS
-- All values of a bin share a code. The bin of a value is the number of breaks at or below it: a running count, without
-- a join on a range. A value below the first break, possible in control, falls into the first bin. Special values keep
-- their own levels, after the bins.
SELECT
    coded.value AS value,
    CASE
        WHEN coded.value = -8 THEN bins + 1
        WHEN coded.x IS NULL THEN 0
        WHEN coded.breaks_upto < 1 THEN 1
        ELSE coded.breaks_upto
    END AS code,
    breaks.low AS low,
    breaks.high AS high,
    breaks.closed AS closed,
    coded.n_orig AS n_orig, coded.n_syn_1 AS n_syn_1
FROM (
    SELECT
        value, x, is_value, n_orig, n_syn_1,
        CAST(SUM(1 - is_value) OVER (ORDER BY x, is_value ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS INTEGER) AS breaks_upto,
        CAST(SUM(1 - is_value) OVER () AS INTEGER) AS bins
    FROM (
        SELECT value, CAST(value AS DOUBLE) AS x, 1 AS is_value, n_orig, n_syn_1
        FROM values_k2
        UNION ALL
        SELECT
            CAST(NULL AS BIGINT) AS value, low AS x, 0 AS is_value,
            0 AS n_orig,
            0 AS n_syn_1
        FROM breaks_k2
    ) AS merged
) AS coded
LEFT JOIN breaks_k2 AS breaks
    ON breaks.bin = CASE
        WHEN coded.x IS NULL OR coded.value = -8 THEN 0
        WHEN coded.breaks_upto < 1 THEN 1
        ELSE coded.breaks_upto
    END
WHERE coded.is_value = 1;

-- CREATE TABLE levels_t1 AS ... (as in one_target)

CREATE TABLE levels_t2 AS
SELECT
    value,
    CASE
        WHEN value IS NULL THEN 0
        ELSE CAST(ROW_NUMBER() OVER (ORDER BY CASE WHEN value IS NULL THEN 1 ELSE 0 END, value) AS INTEGER)
    END AS code,
    n_orig, n_syn_1
FROM (
SELECT
    value,
    CAST(SUM(CASE WHEN file = 0 THEN n ELSE 0 END) AS BIGINT) AS n_orig,
    CAST(SUM(CASE WHEN file = 1 THEN n ELSE 0 END) AS BIGINT) AS n_syn_1
FROM (
    SELECT value, 0 AS file, COUNT(*) AS n
    FROM (SELECT "income" AS value FROM read_parquet(['original.parquet'])) AS source_0
    GROUP BY value
    UNION ALL
    SELECT value, 1 AS file, COUNT(*) AS n
    FROM (SELECT "income" AS value FROM read_parquet(['syn_1.parquet'])) AS source_1
    GROUP BY value
) AS per_file
GROUP BY value
) AS counted;

-- CREATE TABLE files AS ... (as in plain)

-- CREATE TABLE marginals_t1 AS ... (as in plain)

CREATE TABLE marginals_t2 AS
SELECT
    level_code,
    CAST(SUM(records_0) AS BIGINT) AS n_orig,
    n_orig_all,
    CAST(SUM(records_1) AS BIGINT) AS n_syn_1,
    n_syn_all_1,
    MAX(is_excluded) AS excluded_level
FROM (
    SELECT
        levels.code AS level_code,
        levels.n_orig AS records_0,
        files.n_orig AS n_orig_all,
        levels.n_syn_1 AS records_1,
        files.n_syn_1 AS n_syn_all_1,
        0 AS is_excluded
    FROM levels_t2 AS levels
    CROSS JOIN files AS files
) AS seen
GROUP BY level_code, n_orig_all, n_syn_all_1;

CREATE TABLE records AS
-- The class key packs the key codes by mixed radix (k1 + n1*(k2 + n2*k3 ...)): exact and invertible, without hashing.
-- If the product of the numbers of levels exceeds 2^62, a further column begins. p1 and so on are 1 if the person
-- belongs to a population, or the code of the person's level for the populations of a column. weight is the survey
-- weight. Synthetic records have 0 in all of them.
SELECT
    CAST(0 AS INTEGER) AS file,
    CAST(COALESCE(k1.code, 0) AS BIGINT) + CAST(COALESCE(k2.code, 0) AS BIGINT) * 3 AS class_key,
    COALESCE(t1.code, 0) AS t1,
    COALESCE(t2.code, 0) AS t2
FROM (
    SELECT
        "sex" AS value_k1,
        "age" AS value_k2,
        "ill" AS value_t1,
        "income" AS value_t2
    FROM read_parquet(['original.parquet'])
) AS source
LEFT JOIN levels_k1 AS k1 ON source.value_k1 = k1.value
LEFT JOIN levels_k2 AS k2 ON source.value_k2 = k2.value
LEFT JOIN levels_t1 AS t1 ON source.value_t1 = t1.value
LEFT JOIN levels_t2 AS t2 ON source.value_t2 = t2.value
UNION ALL
-- The class key packs the key codes by mixed radix (k1 + n1*(k2 + n2*k3 ...)): exact and invertible, without hashing.
-- If the product of the numbers of levels exceeds 2^62, a further column begins. p1 and so on are 1 if the person
-- belongs to a population, or the code of the person's level for the populations of a column. weight is the survey
-- weight. Synthetic records have 0 in all of them.
SELECT
    CAST(1 AS INTEGER) AS file,
    CAST(COALESCE(k1.code, 0) AS BIGINT) + CAST(COALESCE(k2.code, 0) AS BIGINT) * 3 AS class_key,
    COALESCE(t1.code, 0) AS t1,
    COALESCE(t2.code, 0) AS t2
FROM (
    SELECT
        "sex" AS value_k1,
        "age" AS value_k2,
        "ill" AS value_t1,
        "income" AS value_t2
    FROM read_parquet(['syn_1.parquet'])
) AS source
LEFT JOIN levels_k1 AS k1 ON source.value_k1 = k1.value
LEFT JOIN levels_k2 AS k2 ON source.value_k2 = k2.value
LEFT JOIN levels_t1 AS t1 ON source.value_t1 = t1.value
LEFT JOIN levels_t2 AS t2 ON source.value_t2 = t2.value;

-- CREATE TABLE cells_t1 AS ... (as in one_target)

-- CREATE TABLE classes AS ... (as in one_target)

CREATE TABLE cells_t2 AS
-- For databases that write records slowly or move them between machines, and in DuckDB for few records or classes.
-- Records are read once per target, and no class is looked up. If cells are counted by sorting, they are already in the
-- order that the window needs.
SELECT
    class_key, level_code,
    CASE WHEN level_code = MIN(level_code) OVER (PARTITION BY class_key) THEN 1 ELSE 0 END AS least_level,
    CAST(SUM(n_orig) OVER (PARTITION BY class_key) AS BIGINT) AS n_orig_class,
    CAST(SUM(n_syn_1) OVER (PARTITION BY class_key) AS BIGINT) AS n_syn_class_1,
    n_orig,
    n_syn_1
FROM (
    SELECT
        class_key, t2 AS level_code,
        COUNT(CASE WHEN file = 0 THEN 1 END) AS n_orig,
        COUNT(CASE WHEN file = 1 THEN 1 END) AS n_syn_1
    FROM records
    GROUP BY class_key, t2
) AS counted;

CREATE TABLE cell_parts AS
SELECT
    target, 1 AS comparison, 0 AS population,
    SUM(CASE WHEN (2 * n_syn >= 1 * n_syn_class AND n_syn > 0 AND n_orig > 0) THEN counted_orig * share_syn ELSE 0 END) AS cap_at_least_1_numerator,
    CAST(SUM(people) AS BIGINT) AS cap_at_least_1_denominator,
    SUM(CASE WHEN (5 * n_syn >= 3 * n_syn_class AND n_syn > 0 AND n_orig > 0) THEN counted_orig * share_syn ELSE 0 END) AS cap_at_least_2_numerator,
    CAST(SUM(people) AS BIGINT) AS cap_at_least_2_denominator,
    SUM(CASE WHEN (10 * n_syn >= 7 * n_syn_class AND n_syn > 0 AND n_orig > 0) THEN counted_orig * share_syn ELSE 0 END) AS cap_at_least_3_numerator,
    CAST(SUM(people) AS BIGINT) AS cap_at_least_3_denominator,
    SUM(CASE WHEN (5 * n_syn >= 4 * n_syn_class AND n_syn > 0 AND n_orig > 0) THEN counted_orig * share_syn ELSE 0 END) AS cap_at_least_4_numerator,
    CAST(SUM(people) AS BIGINT) AS cap_at_least_4_denominator,
    SUM(CASE WHEN (10 * n_syn >= 9 * n_syn_class AND n_syn > 0 AND n_orig > 0) THEN counted_orig * share_syn ELSE 0 END) AS cap_at_least_5_numerator,
    CAST(SUM(people) AS BIGINT) AS cap_at_least_5_denominator,
    SUM(CASE WHEN (1 * n_syn >= 1 * n_syn_class AND n_syn > 0 AND n_orig > 0) THEN counted_orig * share_syn ELSE 0 END) AS cap_at_least_6_numerator,
    CAST(SUM(people) AS BIGINT) AS cap_at_least_6_denominator
FROM (
    -- Measures over cells read this table. A measure reads only the counts of a cell, so cells with equal counts are
    -- combined: millions of cells become some thousands of rows. What the intruder sees (n_*, share_*) is the value of each
    -- single cell. Who is counted (people, synthetic, counted_*, n_cells) is summed over the cells. counted_most is the
    -- greatest number of people counted in one cell. In a population it can be less than n_orig.
    SELECT
        n_orig, n_syn, n_orig_class, n_syn_class,
        n_orig AS n_base, n_orig_class AS n_base_class, n_orig_level, n_orig_all,
        CAST(n_orig AS DOUBLE) / NULLIF(CAST(n_orig_class AS DOUBLE), 0) AS share_orig,
        CAST(n_syn AS DOUBLE) / NULLIF(CAST(n_syn_class AS DOUBLE), 0) AS share_syn,
        CAST(n_orig_level AS DOUBLE) / NULLIF(CAST(n_orig_all AS DOUBLE), 0) AS share_level,
        n_cells,
        target,
        sum_people AS people, synthetic,
        sum_counted_orig AS counted_orig, sum_counted_orig_class AS counted_orig_class, sum_counted_syn AS counted_syn,
        counted_most
    FROM (
        SELECT
            n_orig, n_syn, n_orig_class, n_syn_class, n_orig_level, n_orig_all, target,
            COUNT(*) AS n_cells,
            CAST(SUM(people) AS BIGINT) AS sum_people,
            CAST(SUM(n_syn) AS BIGINT) AS synthetic,
            CAST(SUM(counted_orig) AS BIGINT) AS sum_counted_orig,
            CAST(SUM(counted_orig_class) AS BIGINT) AS sum_counted_orig_class,
            CAST(SUM(counted_syn) AS BIGINT) AS sum_counted_syn,
            MAX(counted_orig) AS counted_most
        FROM (
            -- There are two kinds of columns. What the intruder sees: n_orig, n_syn and their totals over the class, the level and
            -- the file. They decide which cells are disclosive, and every proportion. Who is counted: people, and counted_* after
            -- exclusions. Numerators are sums of these. n_orig counts the file of the people, original or control.
            SELECT
                class_key, level_code,
                n_own AS n_orig, n_syn, n_own_class AS n_orig_class, n_syn_class, n_orig_level, n_syn_level, n_orig_all, n_syn_all, n_base, n_base_class, target,
                n_own AS people,
                n_own AS counted_orig, n_own_class AS counted_orig_class, n_syn AS counted_syn
            FROM (
                -- n_own counts the file of the people, original or control. n_base always counts the original, whose CAPd and baseline
                -- are the reference. n_revealing is the number of compared files that reveal the level by themselves. It is made only
                -- if a measure reads it.
                SELECT
                    cells.class_key AS class_key, cells.level_code AS level_code,
                    cells.n_orig AS n_own, cells.n_syn_1 AS n_syn,
                    cells.n_orig_class AS n_own_class,
                    cells.n_syn_class_1 AS n_syn_class,
                    marginals.n_orig AS n_orig_level, marginals.n_syn_1 AS n_syn_level,
                    marginals.n_orig_all AS n_orig_all, marginals.n_syn_all_1 AS n_syn_all,
                    cells.n_orig AS n_base, cells.n_orig_class AS n_base_class,
                    1 AS target,
                    marginals.excluded_level AS excluded_level
                FROM cells_t1 AS cells
                JOIN marginals_t1 AS marginals ON cells.level_code = marginals.level_code
            ) AS seen
            UNION ALL
            -- There are two kinds of columns. What the intruder sees: n_orig, n_syn and their totals over the class, the level and
            -- the file. They decide which cells are disclosive, and every proportion. Who is counted: people, and counted_* after
            -- exclusions. Numerators are sums of these. n_orig counts the file of the people, original or control.
            SELECT
                class_key, level_code,
                n_own AS n_orig, n_syn, n_own_class AS n_orig_class, n_syn_class, n_orig_level, n_syn_level, n_orig_all, n_syn_all, n_base, n_base_class, target,
                n_own AS people,
                n_own AS counted_orig, n_own_class AS counted_orig_class, n_syn AS counted_syn
            FROM (
                -- n_own counts the file of the people, original or control. n_base always counts the original, whose CAPd and baseline
                -- are the reference. n_revealing is the number of compared files that reveal the level by themselves. It is made only
                -- if a measure reads it.
                SELECT
                    cells.class_key AS class_key, cells.level_code AS level_code,
                    cells.n_orig AS n_own, cells.n_syn_1 AS n_syn,
                    cells.n_orig_class AS n_own_class,
                    cells.n_syn_class_1 AS n_syn_class,
                    marginals.n_orig AS n_orig_level, marginals.n_syn_1 AS n_syn_level,
                    marginals.n_orig_all AS n_orig_all, marginals.n_syn_all_1 AS n_syn_all,
                    cells.n_orig AS n_base, cells.n_orig_class AS n_base_class,
                    2 AS target,
                    marginals.excluded_level AS excluded_level
                FROM cells_t2 AS cells
                JOIN marginals_t2 AS marginals ON cells.level_code = marginals.level_code
            ) AS seen
        ) AS compared
        GROUP BY n_orig, n_syn, n_orig_class, n_syn_class, n_orig_level, n_orig_all, target
    ) AS counted
) AS cells
GROUP BY target;

CREATE TABLE results AS
-- The only place where percentages of measures are computed. A denominator of 0 gives NULL, never 0.
SELECT
    measure, point, target, comparison, population, weighted, numerator, denominator,
    COALESCE(factor * plain, factor * CAST(numerator AS DOUBLE) / NULLIF(CAST(denominator AS DOUBLE), 0)) AS value
FROM (
    SELECT
        'CAP_at_least' AS measure, CAST(0.5 AS DOUBLE) AS point,
        target, comparison, population,
        0 AS weighted,
        CAST(SUM(cap_at_least_1_numerator) AS DOUBLE) AS numerator,
        CAST(SUM(cap_at_least_1_denominator) AS DOUBLE) AS denominator, CAST(NULL AS DOUBLE) AS plain,
        CAST(100 AS DOUBLE) AS factor
    FROM cell_parts
    GROUP BY target, comparison, population
    UNION ALL
    SELECT
        'CAP_at_least' AS measure, CAST(0.6 AS DOUBLE) AS point,
        target, comparison, population,
        0 AS weighted,
        CAST(SUM(cap_at_least_2_numerator) AS DOUBLE) AS numerator,
        CAST(SUM(cap_at_least_2_denominator) AS DOUBLE) AS denominator, CAST(NULL AS DOUBLE) AS plain,
        CAST(100 AS DOUBLE) AS factor
    FROM cell_parts
    GROUP BY target, comparison, population
    UNION ALL
    SELECT
        'CAP_at_least' AS measure, CAST(0.7 AS DOUBLE) AS point,
        target, comparison, population,
        0 AS weighted,
        CAST(SUM(cap_at_least_3_numerator) AS DOUBLE) AS numerator,
        CAST(SUM(cap_at_least_3_denominator) AS DOUBLE) AS denominator, CAST(NULL AS DOUBLE) AS plain,
        CAST(100 AS DOUBLE) AS factor
    FROM cell_parts
    GROUP BY target, comparison, population
    UNION ALL
    SELECT
        'CAP_at_least' AS measure, CAST(0.8 AS DOUBLE) AS point,
        target, comparison, population,
        0 AS weighted,
        CAST(SUM(cap_at_least_4_numerator) AS DOUBLE) AS numerator,
        CAST(SUM(cap_at_least_4_denominator) AS DOUBLE) AS denominator, CAST(NULL AS DOUBLE) AS plain,
        CAST(100 AS DOUBLE) AS factor
    FROM cell_parts
    GROUP BY target, comparison, population
    UNION ALL
    SELECT
        'CAP_at_least' AS measure, CAST(0.9 AS DOUBLE) AS point,
        target, comparison, population,
        0 AS weighted,
        CAST(SUM(cap_at_least_5_numerator) AS DOUBLE) AS numerator,
        CAST(SUM(cap_at_least_5_denominator) AS DOUBLE) AS denominator, CAST(NULL AS DOUBLE) AS plain,
        CAST(100 AS DOUBLE) AS factor
    FROM cell_parts
    GROUP BY target, comparison, population
    UNION ALL
    SELECT
        'CAP_at_least' AS measure, CAST(1.0 AS DOUBLE) AS point,
        target, comparison, population,
        0 AS weighted,
        CAST(SUM(cap_at_least_6_numerator) AS DOUBLE) AS numerator,
        CAST(SUM(cap_at_least_6_denominator) AS DOUBLE) AS denominator, CAST(NULL AS DOUBLE) AS plain,
        CAST(100 AS DOUBLE) AS factor
    FROM cell_parts
    GROUP BY target, comparison, population
) AS fractions;

SELECT measure, point, target, comparison, numerator, denominator, value
FROM results
WHERE measure = 'CAP_at_least'
ORDER BY point, target, comparison;

-- ======== exclusions

-- R_known_DiSCO: Known anyway: of the people not correctly disclosed after exclusions, the share disclosed before
-- (DiSCO of all - DiSCO after exclusions) / (100 - DiSCO after exclusions) (proportion of the people who are not in DiSCO after exclusions)
-- Source: Raab 2024, sect. 5
-- It leaves the tables levels_k1, levels_k2, levels_t1, levels_t2, files, marginals_t1, marginals_t2,
-- records, cells_t1, classes, cells_t2, cell_parts, results: drop them before you run it again.

SET TimeZone = 'UTC';

-- CREATE TABLE levels_k1 AS ... (as in one_target)

-- CREATE TABLE levels_k2 AS ... (as in one_target)

-- CREATE TABLE levels_t1 AS ... (as in one_target)

-- CREATE TABLE levels_t2 AS ... (as in bins)

-- CREATE TABLE files AS ... (as in plain)

CREATE TABLE marginals_t1 AS
SELECT
    level_code,
    CAST(SUM(records_0) AS BIGINT) AS n_orig,
    n_orig_all,
    CAST(SUM(records_1) AS BIGINT) AS n_syn_1,
    n_syn_all_1,
    MAX(is_excluded) AS excluded_level
FROM (
    SELECT
        levels.code AS level_code,
        levels.n_orig AS records_0,
        files.n_orig AS n_orig_all,
        levels.n_syn_1 AS records_1,
        files.n_syn_1 AS n_syn_all_1,
        CASE WHEN
            levels.value = 'none' OR
            levels.value = 'it''s'
        THEN 1 ELSE 0 END AS is_excluded
    FROM levels_t1 AS levels
    CROSS JOIN files AS files
) AS seen
GROUP BY level_code, n_orig_all, n_syn_all_1;

-- CREATE TABLE marginals_t2 AS ... (as in bins)

-- CREATE TABLE records AS ... (as in bins)

-- CREATE TABLE cells_t1 AS ... (as in one_target)

-- CREATE TABLE classes AS ... (as in one_target)

-- CREATE TABLE cells_t2 AS ... (as in bins)

CREATE TABLE cell_parts AS
SELECT
    target, 1 AS comparison, 0 AS population,
    CAST(SUM(CASE WHEN n_syn = n_syn_class AND n_syn > 0 THEN people - counted_orig ELSE 0 END) AS BIGINT) AS r_known_disco_numerator,
    CAST(SUM(people - CASE WHEN n_syn = n_syn_class AND n_syn > 0 THEN counted_orig ELSE 0 END) AS BIGINT) AS r_known_disco_denominator
FROM (
    -- Measures over cells read this table. A measure reads only the counts of a cell, so cells with equal counts are
    -- combined: millions of cells become some thousands of rows. What the intruder sees (n_*, share_*) is the value of each
    -- single cell. Who is counted (people, synthetic, counted_*, n_cells) is summed over the cells. counted_most is the
    -- greatest number of people counted in one cell. In a population it can be less than n_orig.
    SELECT
        n_orig, n_syn, n_orig_class, n_syn_class,
        n_orig AS n_base, n_orig_class AS n_base_class, n_orig_level, n_orig_all,
        CAST(n_orig AS DOUBLE) / NULLIF(CAST(n_orig_class AS DOUBLE), 0) AS share_orig,
        CAST(n_syn AS DOUBLE) / NULLIF(CAST(n_syn_class AS DOUBLE), 0) AS share_syn,
        CAST(n_orig_level AS DOUBLE) / NULLIF(CAST(n_orig_all AS DOUBLE), 0) AS share_level,
        n_cells,
        target,
        sum_people AS people, synthetic,
        sum_counted_orig AS counted_orig, sum_counted_orig_class AS counted_orig_class, sum_counted_syn AS counted_syn,
        counted_most
    FROM (
        SELECT
            n_orig, n_syn, n_orig_class, n_syn_class, n_orig_level, n_orig_all, target,
            COUNT(*) AS n_cells,
            CAST(SUM(people) AS BIGINT) AS sum_people,
            CAST(SUM(n_syn) AS BIGINT) AS synthetic,
            CAST(SUM(counted_orig) AS BIGINT) AS sum_counted_orig,
            CAST(SUM(counted_orig_class) AS BIGINT) AS sum_counted_orig_class,
            CAST(SUM(counted_syn) AS BIGINT) AS sum_counted_syn,
            MAX(counted_orig) AS counted_most
        FROM (
            -- There are two kinds of columns. What the intruder sees: n_orig, n_syn and their totals over the class, the level and
            -- the file. They decide which cells are disclosive, and every proportion. Who is counted: people, and counted_* after
            -- exclusions. Numerators are sums of these. n_orig counts the file of the people, original or control.
            SELECT
                class_key, level_code,
                n_own AS n_orig, n_syn, n_own_class AS n_orig_class, n_syn_class, n_orig_level, n_syn_level, n_orig_all, n_syn_all, n_base, n_base_class, target,
                n_own AS people,
                CASE WHEN excluded_orig IS NULL THEN n_own ELSE 0 END AS counted_orig,
                CAST(SUM(CASE WHEN excluded_orig IS NULL THEN n_own ELSE 0 END)
                    OVER (PARTITION BY class_key) AS BIGINT) AS counted_orig_class,
                CASE WHEN excluded_syn IS NULL THEN n_syn ELSE 0 END AS counted_syn,
                excluded_orig, excluded_syn
            FROM (
                -- The first reason that applies is reported. The size limit applies to each side separately: to original counts for
                -- people, to synthetic counts for synthetic records. Synthetic records count only if they have exactly the keys of
                -- the cell, so none count at a radius above 0.
                SELECT
                    class_key, level_code,
                    n_own, n_syn, n_own_class, n_syn_class, n_orig_level, n_syn_level, n_orig_all, n_syn_all, n_base, n_base_class, target,
                    COALESCE(reason, CASE WHEN n_own > 20 OR n_syn > 25 THEN 'cell over the size limit' END) AS excluded_orig,
                    COALESCE(reason, CASE WHEN n_syn > 20 THEN 'cell over the size limit' END) AS excluded_syn
                FROM (
                    SELECT
                        seen.class_key AS class_key, seen.level_code AS level_code,
                        seen.n_own AS n_own, seen.n_syn AS n_syn, seen.n_own_class AS n_own_class, seen.n_syn_class AS n_syn_class, seen.n_orig_level AS n_orig_level, seen.n_syn_level AS n_syn_level, seen.n_orig_all AS n_orig_all, seen.n_syn_all AS n_syn_all, seen.n_base AS n_base, seen.n_base_class AS n_base_class, seen.target AS target,
                        CASE
                            WHEN seen.excluded_level = 1 THEN 'target level'
                            WHEN seen.level_code = 0 THEN 'missing target'
                            WHEN seen.class_key % 3 = 0 THEN 'missing key'
                        END AS reason
                    FROM (
                        -- n_own counts the file of the people, original or control. n_base always counts the original, whose CAPd and baseline
                        -- are the reference. n_revealing is the number of compared files that reveal the level by themselves. It is made only
                        -- if a measure reads it.
                        SELECT
                            cells.class_key AS class_key, cells.level_code AS level_code,
                            cells.n_orig AS n_own, cells.n_syn_1 AS n_syn,
                            cells.n_orig_class AS n_own_class,
                            cells.n_syn_class_1 AS n_syn_class,
                            marginals.n_orig AS n_orig_level, marginals.n_syn_1 AS n_syn_level,
                            marginals.n_orig_all AS n_orig_all, marginals.n_syn_all_1 AS n_syn_all,
                            cells.n_orig AS n_base, cells.n_orig_class AS n_base_class,
                            1 AS target,
                            marginals.excluded_level AS excluded_level
                        FROM cells_t1 AS cells
                        JOIN marginals_t1 AS marginals ON cells.level_code = marginals.level_code
                    ) AS seen
                ) AS reasons
            ) AS seen
            UNION ALL
            -- There are two kinds of columns. What the intruder sees: n_orig, n_syn and their totals over the class, the level and
            -- the file. They decide which cells are disclosive, and every proportion. Who is counted: people, and counted_* after
            -- exclusions. Numerators are sums of these. n_orig counts the file of the people, original or control.
            SELECT
                class_key, level_code,
                n_own AS n_orig, n_syn, n_own_class AS n_orig_class, n_syn_class, n_orig_level, n_syn_level, n_orig_all, n_syn_all, n_base, n_base_class, target,
                n_own AS people,
                CASE WHEN excluded_orig IS NULL THEN n_own ELSE 0 END AS counted_orig,
                CAST(SUM(CASE WHEN excluded_orig IS NULL THEN n_own ELSE 0 END)
                    OVER (PARTITION BY class_key) AS BIGINT) AS counted_orig_class,
                CASE WHEN excluded_syn IS NULL THEN n_syn ELSE 0 END AS counted_syn,
                excluded_orig, excluded_syn
            FROM (
                -- The first reason that applies is reported. The size limit applies to each side separately: to original counts for
                -- people, to synthetic counts for synthetic records. Synthetic records count only if they have exactly the keys of
                -- the cell, so none count at a radius above 0.
                SELECT
                    class_key, level_code,
                    n_own, n_syn, n_own_class, n_syn_class, n_orig_level, n_syn_level, n_orig_all, n_syn_all, n_base, n_base_class, target,
                    COALESCE(reason, CASE WHEN n_own > 20 OR n_syn > 25 THEN 'cell over the size limit' END) AS excluded_orig,
                    COALESCE(reason, CASE WHEN n_syn > 20 THEN 'cell over the size limit' END) AS excluded_syn
                FROM (
                    SELECT
                        seen.class_key AS class_key, seen.level_code AS level_code,
                        seen.n_own AS n_own, seen.n_syn AS n_syn, seen.n_own_class AS n_own_class, seen.n_syn_class AS n_syn_class, seen.n_orig_level AS n_orig_level, seen.n_syn_level AS n_syn_level, seen.n_orig_all AS n_orig_all, seen.n_syn_all AS n_syn_all, seen.n_base AS n_base, seen.n_base_class AS n_base_class, seen.target AS target,
                        CASE
                            WHEN seen.excluded_level = 1 THEN 'target level'
                            WHEN seen.level_code = 0 THEN 'missing target'
                            WHEN seen.class_key % 3 = 0 THEN 'missing key'
                            WHEN pair_1.hit = 1 THEN 'key-and-target pair'
                        END AS reason
                    FROM (
                        -- n_own counts the file of the people, original or control. n_base always counts the original, whose CAPd and baseline
                        -- are the reference. n_revealing is the number of compared files that reveal the level by themselves. It is made only
                        -- if a measure reads it.
                        SELECT
                            cells.class_key AS class_key, cells.level_code AS level_code,
                            cells.n_orig AS n_own, cells.n_syn_1 AS n_syn,
                            cells.n_orig_class AS n_own_class,
                            cells.n_syn_class_1 AS n_syn_class,
                            marginals.n_orig AS n_orig_level, marginals.n_syn_1 AS n_syn_level,
                            marginals.n_orig_all AS n_orig_all, marginals.n_syn_all_1 AS n_syn_all,
                            cells.n_orig AS n_base, cells.n_orig_class AS n_base_class,
                            2 AS target,
                            marginals.excluded_level AS excluded_level
                        FROM cells_t2 AS cells
                        JOIN marginals_t2 AS marginals ON cells.level_code = marginals.level_code
                    ) AS seen
                    LEFT JOIN (
                        -- DISTINCT, because the values of a bin share a code.
                        SELECT target_level.code AS level_code, CAST(key_level.code AS BIGINT) * 3 AS digit, 1 AS hit
                        FROM (
                            SELECT DISTINCT target.code AS code
                            FROM levels_t2 AS target
                            WHERE target.value = 2
                        ) AS target_level
                        CROSS JOIN (
                            SELECT DISTINCT key_levels.code AS code
                            FROM levels_k2 AS key_levels
                            WHERE key_levels.value = 20
                        ) AS key_level
                    ) AS pair_1
                        ON seen.level_code = pair_1.level_code
                        AND (seen.class_key - seen.class_key % 3) = pair_1.digit
                ) AS reasons
            ) AS seen
        ) AS compared
        GROUP BY n_orig, n_syn, n_orig_class, n_syn_class, n_orig_level, n_orig_all, target, excluded_orig, excluded_syn
    ) AS counted
) AS cells
GROUP BY target;

CREATE TABLE results AS
-- The only place where percentages of measures are computed. A denominator of 0 gives NULL, never 0.
SELECT
    measure, point, target, comparison, population, weighted, numerator, denominator,
    COALESCE(factor * plain, factor * CAST(numerator AS DOUBLE) / NULLIF(CAST(denominator AS DOUBLE), 0)) AS value
FROM (
    SELECT
        'R_known_DiSCO' AS measure, CAST(NULL AS DOUBLE) AS point,
        target, comparison, population,
        0 AS weighted,
        CAST(SUM(r_known_disco_numerator) AS DOUBLE) AS numerator,
        CAST(SUM(r_known_disco_denominator) AS DOUBLE) AS denominator, CAST(NULL AS DOUBLE) AS plain,
        CAST(1 AS DOUBLE) AS factor
    FROM cell_parts
    GROUP BY target, comparison, population
) AS fractions;

SELECT measure, point, target, comparison, numerator, denominator, value
FROM results
WHERE measure = 'R_known_DiSCO'
ORDER BY point, target, comparison;

-- ======== pooled

-- DCAP_scaled: Correct attribution above the baseline
-- 100 * (DCAP - base) / (100 - base); base = baseCAPd_counted, which is baseCAPd unless something is excluded (percent of the way from the baseline to certainty)
-- Source: Taub, Elliot, Pampaka & Smith 2018
-- It leaves the tables levels_k1, levels_k2, levels_t1, files, marginals_t1, records, comparisons,
-- cells_t1, classes, cell_parts, results: drop them before you run it again.

SET TimeZone = 'UTC';

CREATE TABLE levels_k1 AS
SELECT
    value,
    CASE
        WHEN value IS NULL THEN 0
        ELSE CAST(ROW_NUMBER() OVER (ORDER BY CASE WHEN value IS NULL THEN 1 ELSE 0 END, value) AS INTEGER)
    END AS code,
    n_orig, n_syn_1, n_syn_2, n_syn_3
FROM (
SELECT
    value,
    CAST(SUM(CASE WHEN file = 0 THEN n ELSE 0 END) AS BIGINT) AS n_orig,
    CAST(SUM(CASE WHEN file = 1 THEN n ELSE 0 END) AS BIGINT) AS n_syn_1,
    CAST(SUM(CASE WHEN file = 2 THEN n ELSE 0 END) AS BIGINT) AS n_syn_2,
    CAST(SUM(CASE WHEN file = 3 THEN n ELSE 0 END) AS BIGINT) AS n_syn_3
FROM (
    SELECT value, 0 AS file, COUNT(*) AS n
    FROM (SELECT "sex" AS value FROM read_parquet(['original.parquet'])) AS source_0
    GROUP BY value
    UNION ALL
    SELECT value, 1 AS file, COUNT(*) AS n
    FROM (SELECT "sex" AS value FROM read_parquet(['syn_1.parquet'])) AS source_1
    GROUP BY value
    UNION ALL
    SELECT value, 2 AS file, COUNT(*) AS n
    FROM (SELECT "sex" AS value FROM read_parquet(['syn_2.parquet'])) AS source_2
    GROUP BY value
    UNION ALL
    SELECT value, 3 AS file, COUNT(*) AS n
    FROM (SELECT "sex" AS value FROM read_parquet(['syn_3.parquet'])) AS source_3
    GROUP BY value
) AS per_file
GROUP BY value
) AS counted;

CREATE TABLE levels_k2 AS
SELECT
    value,
    CASE
        WHEN value IS NULL THEN 0
        ELSE CAST(ROW_NUMBER() OVER (ORDER BY CASE WHEN value IS NULL THEN 1 ELSE 0 END, value) AS INTEGER)
    END AS code,
    n_orig, n_syn_1, n_syn_2, n_syn_3
FROM (
SELECT
    value,
    CAST(SUM(CASE WHEN file = 0 THEN n ELSE 0 END) AS BIGINT) AS n_orig,
    CAST(SUM(CASE WHEN file = 1 THEN n ELSE 0 END) AS BIGINT) AS n_syn_1,
    CAST(SUM(CASE WHEN file = 2 THEN n ELSE 0 END) AS BIGINT) AS n_syn_2,
    CAST(SUM(CASE WHEN file = 3 THEN n ELSE 0 END) AS BIGINT) AS n_syn_3
FROM (
    SELECT value, 0 AS file, COUNT(*) AS n
    FROM (SELECT "age" AS value FROM read_parquet(['original.parquet'])) AS source_0
    GROUP BY value
    UNION ALL
    SELECT value, 1 AS file, COUNT(*) AS n
    FROM (SELECT "age" AS value FROM read_parquet(['syn_1.parquet'])) AS source_1
    GROUP BY value
    UNION ALL
    SELECT value, 2 AS file, COUNT(*) AS n
    FROM (SELECT "age" AS value FROM read_parquet(['syn_2.parquet'])) AS source_2
    GROUP BY value
    UNION ALL
    SELECT value, 3 AS file, COUNT(*) AS n
    FROM (SELECT "age" AS value FROM read_parquet(['syn_3.parquet'])) AS source_3
    GROUP BY value
) AS per_file
GROUP BY value
) AS counted;

CREATE TABLE levels_t1 AS
SELECT
    value,
    CASE
        WHEN value IS NULL THEN 0
        ELSE CAST(ROW_NUMBER() OVER (ORDER BY CASE WHEN value IS NULL THEN 1 ELSE 0 END, value) AS INTEGER)
    END AS code,
    n_orig, n_syn_1, n_syn_2, n_syn_3
FROM (
SELECT
    value,
    CAST(SUM(CASE WHEN file = 0 THEN n ELSE 0 END) AS BIGINT) AS n_orig,
    CAST(SUM(CASE WHEN file = 1 THEN n ELSE 0 END) AS BIGINT) AS n_syn_1,
    CAST(SUM(CASE WHEN file = 2 THEN n ELSE 0 END) AS BIGINT) AS n_syn_2,
    CAST(SUM(CASE WHEN file = 3 THEN n ELSE 0 END) AS BIGINT) AS n_syn_3
FROM (
    SELECT value, 0 AS file, COUNT(*) AS n
    FROM (SELECT "ill" AS value FROM read_parquet(['original.parquet'])) AS source_0
    GROUP BY value
    UNION ALL
    SELECT value, 1 AS file, COUNT(*) AS n
    FROM (SELECT "ill" AS value FROM read_parquet(['syn_1.parquet'])) AS source_1
    GROUP BY value
    UNION ALL
    SELECT value, 2 AS file, COUNT(*) AS n
    FROM (SELECT "ill" AS value FROM read_parquet(['syn_2.parquet'])) AS source_2
    GROUP BY value
    UNION ALL
    SELECT value, 3 AS file, COUNT(*) AS n
    FROM (SELECT "ill" AS value FROM read_parquet(['syn_3.parquet'])) AS source_3
    GROUP BY value
) AS per_file
GROUP BY value
) AS counted;

CREATE TABLE files AS
SELECT
    CAST(SUM(records_0) AS BIGINT) AS n_orig,
    CAST(SUM(records_1) AS BIGINT) AS n_syn_1,
    CAST(SUM(records_2) AS BIGINT) AS n_syn_2,
    CAST(SUM(records_3) AS BIGINT) AS n_syn_3
FROM (
    SELECT
        n_orig AS records_0,
        n_syn_1 AS records_1,
        n_syn_2 AS records_2,
        n_syn_3 AS records_3
    FROM levels_k1
) AS levels;

CREATE TABLE marginals_t1 AS
SELECT
    level_code,
    CAST(SUM(records_0) AS BIGINT) AS n_orig,
    n_orig_all,
    CAST(SUM(records_1) AS BIGINT) AS n_syn_1,
    n_syn_all_1,
    CAST(SUM(records_2) AS BIGINT) AS n_syn_2,
    n_syn_all_2,
    CAST(SUM(records_3) AS BIGINT) AS n_syn_3,
    n_syn_all_3,
    MAX(is_excluded) AS excluded_level
FROM (
    SELECT
        levels.code AS level_code,
        levels.n_orig AS records_0,
        files.n_orig AS n_orig_all,
        levels.n_syn_1 AS records_1,
        files.n_syn_1 AS n_syn_all_1,
        levels.n_syn_2 AS records_2,
        files.n_syn_2 AS n_syn_all_2,
        levels.n_syn_3 AS records_3,
        files.n_syn_3 AS n_syn_all_3,
        0 AS is_excluded
    FROM levels_t1 AS levels
    CROSS JOIN files AS files
) AS seen
GROUP BY level_code, n_orig_all, n_syn_all_1, n_syn_all_2, n_syn_all_3;

CREATE TABLE records AS
-- The class key packs the key codes by mixed radix (k1 + n1*(k2 + n2*k3 ...)): exact and invertible, without hashing.
-- If the product of the numbers of levels exceeds 2^62, a further column begins. p1 and so on are 1 if the person
-- belongs to a population, or the code of the person's level for the populations of a column. weight is the survey
-- weight. Synthetic records have 0 in all of them.
SELECT
    CAST(0 AS INTEGER) AS file,
    CAST(COALESCE(k1.code, 0) AS BIGINT) + CAST(COALESCE(k2.code, 0) AS BIGINT) * 3 AS class_key,
    COALESCE(t1.code, 0) AS t1
FROM (
    SELECT
        "sex" AS value_k1,
        "age" AS value_k2,
        "ill" AS value_t1
    FROM read_parquet(['original.parquet'])
) AS source
LEFT JOIN levels_k1 AS k1 ON source.value_k1 = k1.value
LEFT JOIN levels_k2 AS k2 ON source.value_k2 = k2.value
LEFT JOIN levels_t1 AS t1 ON source.value_t1 = t1.value
UNION ALL
-- The class key packs the key codes by mixed radix (k1 + n1*(k2 + n2*k3 ...)): exact and invertible, without hashing.
-- If the product of the numbers of levels exceeds 2^62, a further column begins. p1 and so on are 1 if the person
-- belongs to a population, or the code of the person's level for the populations of a column. weight is the survey
-- weight. Synthetic records have 0 in all of them.
SELECT
    CAST(1 AS INTEGER) AS file,
    CAST(COALESCE(k1.code, 0) AS BIGINT) + CAST(COALESCE(k2.code, 0) AS BIGINT) * 3 AS class_key,
    COALESCE(t1.code, 0) AS t1
FROM (
    SELECT
        "sex" AS value_k1,
        "age" AS value_k2,
        "ill" AS value_t1
    FROM read_parquet(['syn_1.parquet'])
) AS source
LEFT JOIN levels_k1 AS k1 ON source.value_k1 = k1.value
LEFT JOIN levels_k2 AS k2 ON source.value_k2 = k2.value
LEFT JOIN levels_t1 AS t1 ON source.value_t1 = t1.value
UNION ALL
-- The class key packs the key codes by mixed radix (k1 + n1*(k2 + n2*k3 ...)): exact and invertible, without hashing.
-- If the product of the numbers of levels exceeds 2^62, a further column begins. p1 and so on are 1 if the person
-- belongs to a population, or the code of the person's level for the populations of a column. weight is the survey
-- weight. Synthetic records have 0 in all of them.
SELECT
    CAST(2 AS INTEGER) AS file,
    CAST(COALESCE(k1.code, 0) AS BIGINT) + CAST(COALESCE(k2.code, 0) AS BIGINT) * 3 AS class_key,
    COALESCE(t1.code, 0) AS t1
FROM (
    SELECT
        "sex" AS value_k1,
        "age" AS value_k2,
        "ill" AS value_t1
    FROM read_parquet(['syn_2.parquet'])
) AS source
LEFT JOIN levels_k1 AS k1 ON source.value_k1 = k1.value
LEFT JOIN levels_k2 AS k2 ON source.value_k2 = k2.value
LEFT JOIN levels_t1 AS t1 ON source.value_t1 = t1.value
UNION ALL
-- The class key packs the key codes by mixed radix (k1 + n1*(k2 + n2*k3 ...)): exact and invertible, without hashing.
-- If the product of the numbers of levels exceeds 2^62, a further column begins. p1 and so on are 1 if the person
-- belongs to a population, or the code of the person's level for the populations of a column. weight is the survey
-- weight. Synthetic records have 0 in all of them.
SELECT
    CAST(3 AS INTEGER) AS file,
    CAST(COALESCE(k1.code, 0) AS BIGINT) + CAST(COALESCE(k2.code, 0) AS BIGINT) * 3 AS class_key,
    COALESCE(t1.code, 0) AS t1
FROM (
    SELECT
        "sex" AS value_k1,
        "age" AS value_k2,
        "ill" AS value_t1
    FROM read_parquet(['syn_3.parquet'])
) AS source
LEFT JOIN levels_k1 AS k1 ON source.value_k1 = k1.value
LEFT JOIN levels_k2 AS k2 ON source.value_k2 = k2.value
LEFT JOIN levels_t1 AS t1 ON source.value_t1 = t1.value;

CREATE TABLE comparisons AS
-- of_0 and so on are 1 if the people of that file are compared. with_1 and so on are 1 if that synthetic file is used,
-- by itself or pooled. Stages multiply each count of a file by its column here. So a single scan of the counts serves
-- all comparisons.
SELECT
    1 AS comparison,
    1 AS of_0,
    1 AS with_1,
    0 AS with_2,
    0 AS with_3
UNION ALL
SELECT
    2 AS comparison,
    1 AS of_0,
    0 AS with_1,
    1 AS with_2,
    0 AS with_3
UNION ALL
SELECT
    3 AS comparison,
    1 AS of_0,
    0 AS with_1,
    0 AS with_2,
    1 AS with_3
UNION ALL
SELECT
    4 AS comparison,
    1 AS of_0,
    1 AS with_1,
    1 AS with_2,
    0 AS with_3
UNION ALL
SELECT
    5 AS comparison,
    1 AS of_0,
    1 AS with_1,
    1 AS with_2,
    1 AS with_3;

CREATE TABLE cells_t1 AS
-- For databases that write records slowly or move them between machines, and in DuckDB for few records or classes.
-- Records are read once per target, and no class is looked up. If cells are counted by sorting, they are already in the
-- order that the window needs.
SELECT
    class_key, level_code,
    CASE WHEN level_code = MIN(level_code) OVER (PARTITION BY class_key) THEN 1 ELSE 0 END AS least_level,
    CAST(SUM(n_orig) OVER (PARTITION BY class_key) AS BIGINT) AS n_orig_class,
    CAST(SUM(n_syn_1) OVER (PARTITION BY class_key) AS BIGINT) AS n_syn_class_1,
    CAST(SUM(n_syn_2) OVER (PARTITION BY class_key) AS BIGINT) AS n_syn_class_2,
    CAST(SUM(n_syn_3) OVER (PARTITION BY class_key) AS BIGINT) AS n_syn_class_3,
    n_orig,
    n_syn_1,
    n_syn_2,
    n_syn_3
FROM (
    SELECT
        class_key, t1 AS level_code,
        COUNT(CASE WHEN file = 0 THEN 1 END) AS n_orig,
        COUNT(CASE WHEN file = 1 THEN 1 END) AS n_syn_1,
        COUNT(CASE WHEN file = 2 THEN 1 END) AS n_syn_2,
        COUNT(CASE WHEN file = 3 THEN 1 END) AS n_syn_3
    FROM records
    GROUP BY class_key, t1
) AS counted;

CREATE TABLE classes AS
SELECT
    class_key,
    n_orig_class AS n_orig,
    n_syn_class_1 AS n_syn_1,
    n_syn_class_2 AS n_syn_2,
    n_syn_class_3 AS n_syn_3
FROM cells_t1
WHERE least_level = 1;

CREATE TABLE cell_parts AS
SELECT
    1 AS target, comparison, 0 AS population,
    SUM(counted_orig * share_level) AS basecapd_counted_numerator,
    CAST(SUM(people) AS BIGINT) AS basecapd_counted_denominator,
    COALESCE(SUM(counted_orig * share_syn), 0) AS dcap_numerator,
    CAST(SUM(people) AS BIGINT) AS dcap_denominator
FROM (
    -- Measures over cells read this table. A measure reads only the counts of a cell, so cells with equal counts are
    -- combined: millions of cells become some thousands of rows. What the intruder sees (n_*, share_*) is the value of each
    -- single cell. Who is counted (people, synthetic, counted_*, n_cells) is summed over the cells. counted_most is the
    -- greatest number of people counted in one cell. In a population it can be less than n_orig.
    SELECT
        n_orig, n_syn, n_orig_class, n_syn_class,
        n_orig AS n_base, n_orig_class AS n_base_class, n_orig_level, n_orig_all,
        CAST(n_orig AS DOUBLE) / NULLIF(CAST(n_orig_class AS DOUBLE), 0) AS share_orig,
        CAST(n_syn AS DOUBLE) / NULLIF(CAST(n_syn_class AS DOUBLE), 0) AS share_syn,
        CAST(n_orig_level AS DOUBLE) / NULLIF(CAST(n_orig_all AS DOUBLE), 0) AS share_level,
        n_cells,
        comparison,
        sum_people AS people, synthetic,
        sum_counted_orig AS counted_orig, sum_counted_orig_class AS counted_orig_class, sum_counted_syn AS counted_syn,
        counted_most
    FROM (
        SELECT
            n_orig, n_syn, n_orig_class, n_syn_class, n_orig_level, n_orig_all, comparison,
            COUNT(*) AS n_cells,
            CAST(SUM(people) AS BIGINT) AS sum_people,
            CAST(SUM(n_syn) AS BIGINT) AS synthetic,
            CAST(SUM(counted_orig) AS BIGINT) AS sum_counted_orig,
            CAST(SUM(counted_orig_class) AS BIGINT) AS sum_counted_orig_class,
            CAST(SUM(counted_syn) AS BIGINT) AS sum_counted_syn,
            MAX(counted_orig) AS counted_most
        FROM (
            -- There are two kinds of columns. What the intruder sees: n_orig, n_syn and their totals over the class, the level and
            -- the file. They decide which cells are disclosive, and every proportion. Who is counted: people, and counted_* after
            -- exclusions. Numerators are sums of these. n_orig counts the file of the people, original or control.
            SELECT
                class_key, level_code,
                n_own AS n_orig, n_syn, n_own_class AS n_orig_class, n_syn_class, n_orig_level, n_syn_level, n_orig_all, n_syn_all, n_base, n_base_class, comparison,
                n_own AS people,
                n_own AS counted_orig, n_own_class AS counted_orig_class, n_syn AS counted_syn
            FROM (
                -- n_own counts the file of the people, original or control. n_base always counts the original, whose CAPd and baseline
                -- are the reference. n_revealing is the number of compared files that reveal the level by themselves. It is made only
                -- if a measure reads it.
                SELECT
                    cells.class_key AS class_key, cells.level_code AS level_code,
                    cells.n_orig AS n_own, cells.n_syn_1 * chosen.with_1 + cells.n_syn_2 * chosen.with_2 + cells.n_syn_3 * chosen.with_3 AS n_syn,
                    cells.n_orig_class AS n_own_class,
                    cells.n_syn_class_1 * chosen.with_1 + cells.n_syn_class_2 * chosen.with_2 + cells.n_syn_class_3 * chosen.with_3 AS n_syn_class,
                    marginals.n_orig AS n_orig_level, marginals.n_syn_1 * chosen.with_1 + marginals.n_syn_2 * chosen.with_2 + marginals.n_syn_3 * chosen.with_3 AS n_syn_level,
                    marginals.n_orig_all AS n_orig_all, marginals.n_syn_all_1 * chosen.with_1 + marginals.n_syn_all_2 * chosen.with_2 + marginals.n_syn_all_3 * chosen.with_3 AS n_syn_all,
                    cells.n_orig AS n_base, cells.n_orig_class AS n_base_class,
                    chosen.comparison AS comparison,
                    marginals.excluded_level AS excluded_level
                FROM cells_t1 AS cells
                JOIN marginals_t1 AS marginals ON cells.level_code = marginals.level_code
                CROSS JOIN comparisons AS chosen
                WHERE chosen.comparison IN (1, 2, 3, 4, 5)
            ) AS seen
        ) AS compared
        GROUP BY n_orig, n_syn, n_orig_class, n_syn_class, n_orig_level, n_orig_all, comparison
    ) AS counted
) AS cells
GROUP BY comparison;

CREATE TABLE results AS
-- The only place where percentages of measures are computed. A denominator of 0 gives NULL, never 0.
SELECT
    measure, point, target, comparison, population, weighted, numerator, denominator,
    COALESCE(factor * plain, factor * CAST(numerator AS DOUBLE) / NULLIF(CAST(denominator AS DOUBLE), 0)) AS value
FROM (
    SELECT
        'baseCAPd_counted' AS measure, CAST(NULL AS DOUBLE) AS point,
        target, comparison, population,
        0 AS weighted,
        CAST(SUM(basecapd_counted_numerator) AS DOUBLE) AS numerator,
        CAST(SUM(basecapd_counted_denominator) AS DOUBLE) AS denominator, CAST(NULL AS DOUBLE) AS plain,
        CAST(100 AS DOUBLE) AS factor
    FROM cell_parts
    GROUP BY target, comparison, population
    UNION ALL
    SELECT
        'DCAP' AS measure, CAST(NULL AS DOUBLE) AS point,
        target, comparison, population,
        0 AS weighted,
        CAST(SUM(dcap_numerator) AS DOUBLE) AS numerator,
        CAST(SUM(dcap_denominator) AS DOUBLE) AS denominator, CAST(NULL AS DOUBLE) AS plain,
        CAST(100 AS DOUBLE) AS factor
    FROM cell_parts
    GROUP BY target, comparison, population
) AS fractions;

INSERT INTO results
-- The only place where percentages of measures are computed. A denominator of 0 gives NULL, never 0.
SELECT
    measure, point, target, comparison, population, weighted, numerator, denominator,
    COALESCE(factor * plain, factor * CAST(numerator AS DOUBLE) / NULLIF(CAST(denominator AS DOUBLE), 0)) AS value
FROM (
    SELECT
        'DCAP_scaled' AS measure, CAST(NULL AS DOUBLE) AS point,
        target, comparison, population, weighted,
        dcap - basecapd_counted AS numerator, 100 - basecapd_counted AS denominator,
        CAST(NULL AS DOUBLE) AS plain,
        CAST(100 AS DOUBLE) AS factor
    FROM (
        SELECT
            target, comparison, population, weighted,
            MAX(CASE WHEN measure = 'DCAP' THEN value END) AS dcap,
            MAX(CASE WHEN measure = 'baseCAPd_counted' THEN value END) AS basecapd_counted
        FROM results
        GROUP BY target, comparison, population, weighted
    ) AS results
) AS fractions;

SELECT measure, point, target, comparison, numerator, denominator, value
FROM results
WHERE measure = 'DCAP_scaled'
ORDER BY point, target, comparison;

-- ======== methods

-- repU: Replicated unique: unique in original and in synthetic
-- 100 * number of people with d_q = 1 and s_q = 1, / N_d (percent of original records)
-- Source: Raab 2024, eq. 5
-- It leaves the tables levels_k1, levels_k2, levels_t1, levels_t2, files, marginals_t1, marginals_t2,
-- records, comparisons, classes, class_parts, results: drop them before you run it again.

SET TimeZone = 'UTC';

-- CREATE TABLE levels_k1 AS ... (as in pooled)

-- CREATE TABLE levels_k2 AS ... (as in pooled)

-- CREATE TABLE levels_t1 AS ... (as in pooled)

CREATE TABLE levels_t2 AS
SELECT
    value,
    CASE
        WHEN value IS NULL THEN 0
        ELSE CAST(ROW_NUMBER() OVER (ORDER BY CASE WHEN value IS NULL THEN 1 ELSE 0 END, value) AS INTEGER)
    END AS code,
    n_orig, n_syn_1, n_syn_2, n_syn_3
FROM (
SELECT
    value,
    CAST(SUM(CASE WHEN file = 0 THEN n ELSE 0 END) AS BIGINT) AS n_orig,
    CAST(SUM(CASE WHEN file = 1 THEN n ELSE 0 END) AS BIGINT) AS n_syn_1,
    CAST(SUM(CASE WHEN file = 2 THEN n ELSE 0 END) AS BIGINT) AS n_syn_2,
    CAST(SUM(CASE WHEN file = 3 THEN n ELSE 0 END) AS BIGINT) AS n_syn_3
FROM (
    SELECT value, 0 AS file, COUNT(*) AS n
    FROM (SELECT "income" AS value FROM read_parquet(['original.parquet'])) AS source_0
    GROUP BY value
    UNION ALL
    SELECT value, 1 AS file, COUNT(*) AS n
    FROM (SELECT "income" AS value FROM read_parquet(['syn_1.parquet'])) AS source_1
    GROUP BY value
    UNION ALL
    SELECT value, 2 AS file, COUNT(*) AS n
    FROM (SELECT "income" AS value FROM read_parquet(['syn_2.parquet'])) AS source_2
    GROUP BY value
    UNION ALL
    SELECT value, 3 AS file, COUNT(*) AS n
    FROM (SELECT "income" AS value FROM read_parquet(['syn_3.parquet'])) AS source_3
    GROUP BY value
) AS per_file
GROUP BY value
) AS counted;

-- CREATE TABLE files AS ... (as in pooled)

-- CREATE TABLE marginals_t1 AS ... (as in pooled)

CREATE TABLE marginals_t2 AS
SELECT
    level_code,
    CAST(SUM(records_0) AS BIGINT) AS n_orig,
    n_orig_all,
    CAST(SUM(records_1) AS BIGINT) AS n_syn_1,
    n_syn_all_1,
    CAST(SUM(records_2) AS BIGINT) AS n_syn_2,
    n_syn_all_2,
    CAST(SUM(records_3) AS BIGINT) AS n_syn_3,
    n_syn_all_3,
    MAX(is_excluded) AS excluded_level
FROM (
    SELECT
        levels.code AS level_code,
        levels.n_orig AS records_0,
        files.n_orig AS n_orig_all,
        levels.n_syn_1 AS records_1,
        files.n_syn_1 AS n_syn_all_1,
        levels.n_syn_2 AS records_2,
        files.n_syn_2 AS n_syn_all_2,
        levels.n_syn_3 AS records_3,
        files.n_syn_3 AS n_syn_all_3,
        0 AS is_excluded
    FROM levels_t2 AS levels
    CROSS JOIN files AS files
) AS seen
GROUP BY level_code, n_orig_all, n_syn_all_1, n_syn_all_2, n_syn_all_3;

CREATE TABLE records AS
-- The class key packs the key codes by mixed radix (k1 + n1*(k2 + n2*k3 ...)): exact and invertible, without hashing.
-- If the product of the numbers of levels exceeds 2^62, a further column begins. p1 and so on are 1 if the person
-- belongs to a population, or the code of the person's level for the populations of a column. weight is the survey
-- weight. Synthetic records have 0 in all of them.
SELECT
    CAST(0 AS INTEGER) AS file,
    CAST(COALESCE(k1.code, 0) AS BIGINT) + CAST(COALESCE(k2.code, 0) AS BIGINT) * 3 AS class_key,
    COALESCE(t1.code, 0) AS t1,
    COALESCE(t2.code, 0) AS t2
FROM (
    SELECT
        "sex" AS value_k1,
        "age" AS value_k2,
        "ill" AS value_t1,
        "income" AS value_t2
    FROM read_parquet(['original.parquet'])
) AS source
LEFT JOIN levels_k1 AS k1 ON source.value_k1 = k1.value
LEFT JOIN levels_k2 AS k2 ON source.value_k2 = k2.value
LEFT JOIN levels_t1 AS t1 ON source.value_t1 = t1.value
LEFT JOIN levels_t2 AS t2 ON source.value_t2 = t2.value
UNION ALL
-- The class key packs the key codes by mixed radix (k1 + n1*(k2 + n2*k3 ...)): exact and invertible, without hashing.
-- If the product of the numbers of levels exceeds 2^62, a further column begins. p1 and so on are 1 if the person
-- belongs to a population, or the code of the person's level for the populations of a column. weight is the survey
-- weight. Synthetic records have 0 in all of them.
SELECT
    CAST(1 AS INTEGER) AS file,
    CAST(COALESCE(k1.code, 0) AS BIGINT) + CAST(COALESCE(k2.code, 0) AS BIGINT) * 3 AS class_key,
    COALESCE(t1.code, 0) AS t1,
    COALESCE(t2.code, 0) AS t2
FROM (
    SELECT
        "sex" AS value_k1,
        "age" AS value_k2,
        "ill" AS value_t1,
        "income" AS value_t2
    FROM read_parquet(['syn_1.parquet'])
) AS source
LEFT JOIN levels_k1 AS k1 ON source.value_k1 = k1.value
LEFT JOIN levels_k2 AS k2 ON source.value_k2 = k2.value
LEFT JOIN levels_t1 AS t1 ON source.value_t1 = t1.value
LEFT JOIN levels_t2 AS t2 ON source.value_t2 = t2.value
UNION ALL
-- The class key packs the key codes by mixed radix (k1 + n1*(k2 + n2*k3 ...)): exact and invertible, without hashing.
-- If the product of the numbers of levels exceeds 2^62, a further column begins. p1 and so on are 1 if the person
-- belongs to a population, or the code of the person's level for the populations of a column. weight is the survey
-- weight. Synthetic records have 0 in all of them.
SELECT
    CAST(2 AS INTEGER) AS file,
    CAST(COALESCE(k1.code, 0) AS BIGINT) + CAST(COALESCE(k2.code, 0) AS BIGINT) * 3 AS class_key,
    COALESCE(t1.code, 0) AS t1,
    COALESCE(t2.code, 0) AS t2
FROM (
    SELECT
        "sex" AS value_k1,
        "age" AS value_k2,
        "ill" AS value_t1,
        "income" AS value_t2
    FROM read_parquet(['syn_2.parquet'])
) AS source
LEFT JOIN levels_k1 AS k1 ON source.value_k1 = k1.value
LEFT JOIN levels_k2 AS k2 ON source.value_k2 = k2.value
LEFT JOIN levels_t1 AS t1 ON source.value_t1 = t1.value
LEFT JOIN levels_t2 AS t2 ON source.value_t2 = t2.value
UNION ALL
-- The class key packs the key codes by mixed radix (k1 + n1*(k2 + n2*k3 ...)): exact and invertible, without hashing.
-- If the product of the numbers of levels exceeds 2^62, a further column begins. p1 and so on are 1 if the person
-- belongs to a population, or the code of the person's level for the populations of a column. weight is the survey
-- weight. Synthetic records have 0 in all of them.
SELECT
    CAST(3 AS INTEGER) AS file,
    CAST(COALESCE(k1.code, 0) AS BIGINT) + CAST(COALESCE(k2.code, 0) AS BIGINT) * 3 AS class_key,
    COALESCE(t1.code, 0) AS t1,
    COALESCE(t2.code, 0) AS t2
FROM (
    SELECT
        "sex" AS value_k1,
        "age" AS value_k2,
        "ill" AS value_t1,
        "income" AS value_t2
    FROM read_parquet(['syn_3.parquet'])
) AS source
LEFT JOIN levels_k1 AS k1 ON source.value_k1 = k1.value
LEFT JOIN levels_k2 AS k2 ON source.value_k2 = k2.value
LEFT JOIN levels_t1 AS t1 ON source.value_t1 = t1.value
LEFT JOIN levels_t2 AS t2 ON source.value_t2 = t2.value;

CREATE TABLE comparisons AS
-- of_0 and so on are 1 if the people of that file are compared. with_1 and so on are 1 if that synthetic file is used,
-- by itself or pooled. Stages multiply each count of a file by its column here. So a single scan of the counts serves
-- all comparisons.
SELECT
    1 AS comparison,
    1 AS of_0,
    1 AS with_1,
    0 AS with_2,
    0 AS with_3
UNION ALL
SELECT
    2 AS comparison,
    1 AS of_0,
    0 AS with_1,
    1 AS with_2,
    0 AS with_3
UNION ALL
SELECT
    3 AS comparison,
    1 AS of_0,
    1 AS with_1,
    1 AS with_2,
    0 AS with_3
UNION ALL
SELECT
    4 AS comparison,
    1 AS of_0,
    0 AS with_1,
    0 AS with_2,
    1 AS with_3;

CREATE TABLE classes AS
SELECT
    class_key,
    COUNT(CASE WHEN file = 0 THEN 1 END) AS n_orig,
    COUNT(CASE WHEN file = 1 THEN 1 END) AS n_syn_1,
    COUNT(CASE WHEN file = 2 THEN 1 END) AS n_syn_2,
    COUNT(CASE WHEN file = 3 THEN 1 END) AS n_syn_3
FROM records
GROUP BY class_key;

CREATE TABLE class_parts AS
SELECT
    0 AS target, comparison, 0 AS population,
    CAST(SUM(CASE WHEN (n_orig = 1 AND n_syn = 1) THEN counted_orig ELSE 0 END) AS BIGINT) AS repu_numerator,
    CAST(SUM(people) AS BIGINT) AS repu_denominator
FROM (
    -- What the intruder sees: n_orig, n_syn. Who is counted: people and synthetic, and counted_orig and counted_syn after
    -- exclusions. Excluded target levels do not matter here, because a class is found by its keys. n_orig counts the file
    -- of the people, original or control.
    SELECT
        class_key, n_own AS n_orig, n_syn,
        comparison,
        n_own AS people, n_syn AS synthetic,
        n_own AS counted_orig, n_syn AS counted_syn
    FROM (
        -- n_own counts the file of the people, original or control. n_replicating is the number of compared files that have
        -- exactly one record in the class. It is made only if a measure reads it.
        SELECT
            class_key,
            chosen.comparison AS comparison,
            n_orig AS n_own, n_syn_1 * chosen.with_1 + n_syn_2 * chosen.with_2 + n_syn_3 * chosen.with_3 AS n_syn
        FROM classes
        CROSS JOIN comparisons AS chosen
        WHERE chosen.comparison IN (1, 2, 3, 4)
    ) AS seen
) AS classes
GROUP BY comparison;

CREATE TABLE results AS
-- The only place where percentages of measures are computed. A denominator of 0 gives NULL, never 0.
SELECT
    measure, point, target, comparison, population, weighted, numerator, denominator,
    COALESCE(factor * plain, factor * CAST(numerator AS DOUBLE) / NULLIF(CAST(denominator AS DOUBLE), 0)) AS value
FROM (
    SELECT
        'repU' AS measure, CAST(NULL AS DOUBLE) AS point,
        target, comparison, population,
        0 AS weighted,
        CAST(SUM(repu_numerator) AS DOUBLE) AS numerator,
        CAST(SUM(repu_denominator) AS DOUBLE) AS denominator, CAST(NULL AS DOUBLE) AS plain,
        CAST(100 AS DOUBLE) AS factor
    FROM class_parts
    GROUP BY target, comparison, population
) AS fractions;

SELECT measure, point, target, comparison, numerator, denominator, value
FROM results
WHERE measure = 'repU'
ORDER BY point, target, comparison;

-- ======== two_key_columns

-- iS: In synthetic: the keys are found
-- 100 * sum of d_q where s_q > 0, / N_d (percent of original records)
-- Source: Raab 2024, eq. 9 (misprinted there; read after sect. 3.3)
-- It leaves the tables levels_k1, levels_k2, levels_k3, levels_k4, levels_k5, levels_k6, levels_k7,
-- levels_k8, levels_k9, levels_t1, files, marginals_t1, records, cells_t1, classes, cell_parts,
-- results: drop them before you run it again.

SET TimeZone = 'UTC';

-- CREATE TABLE levels_k1 AS ... (as in one_target)

CREATE TABLE levels_k2 AS
SELECT
    value,
    CASE
        WHEN value IS NULL THEN 0
        ELSE CAST(ROW_NUMBER() OVER (ORDER BY CASE WHEN value IS NULL THEN 1 ELSE 0 END, value) AS INTEGER)
    END AS code,
    n_orig, n_syn_1
FROM (
SELECT
    value,
    CAST(SUM(CASE WHEN file = 0 THEN n ELSE 0 END) AS BIGINT) AS n_orig,
    CAST(SUM(CASE WHEN file = 1 THEN n ELSE 0 END) AS BIGINT) AS n_syn_1
FROM (
    SELECT value, 0 AS file, COUNT(*) AS n
    FROM (SELECT "long 0" AS value FROM read_parquet(['original.parquet'])) AS source_0
    GROUP BY value
    UNION ALL
    SELECT value, 1 AS file, COUNT(*) AS n
    FROM (SELECT "long 0" AS value FROM read_parquet(['syn_1.parquet'])) AS source_1
    GROUP BY value
) AS per_file
GROUP BY value
) AS counted;

CREATE TABLE levels_k3 AS
SELECT
    value,
    CASE
        WHEN value IS NULL THEN 0
        ELSE CAST(ROW_NUMBER() OVER (ORDER BY CASE WHEN value IS NULL THEN 1 ELSE 0 END, value) AS INTEGER)
    END AS code,
    n_orig, n_syn_1
FROM (
SELECT
    value,
    CAST(SUM(CASE WHEN file = 0 THEN n ELSE 0 END) AS BIGINT) AS n_orig,
    CAST(SUM(CASE WHEN file = 1 THEN n ELSE 0 END) AS BIGINT) AS n_syn_1
FROM (
    SELECT value, 0 AS file, COUNT(*) AS n
    FROM (SELECT "long 1" AS value FROM read_parquet(['original.parquet'])) AS source_0
    GROUP BY value
    UNION ALL
    SELECT value, 1 AS file, COUNT(*) AS n
    FROM (SELECT "long 1" AS value FROM read_parquet(['syn_1.parquet'])) AS source_1
    GROUP BY value
) AS per_file
GROUP BY value
) AS counted;

CREATE TABLE levels_k4 AS
SELECT
    value,
    CASE
        WHEN value IS NULL THEN 0
        ELSE CAST(ROW_NUMBER() OVER (ORDER BY CASE WHEN value IS NULL THEN 1 ELSE 0 END, value) AS INTEGER)
    END AS code,
    n_orig, n_syn_1
FROM (
SELECT
    value,
    CAST(SUM(CASE WHEN file = 0 THEN n ELSE 0 END) AS BIGINT) AS n_orig,
    CAST(SUM(CASE WHEN file = 1 THEN n ELSE 0 END) AS BIGINT) AS n_syn_1
FROM (
    SELECT value, 0 AS file, COUNT(*) AS n
    FROM (SELECT "long 2" AS value FROM read_parquet(['original.parquet'])) AS source_0
    GROUP BY value
    UNION ALL
    SELECT value, 1 AS file, COUNT(*) AS n
    FROM (SELECT "long 2" AS value FROM read_parquet(['syn_1.parquet'])) AS source_1
    GROUP BY value
) AS per_file
GROUP BY value
) AS counted;

CREATE TABLE levels_k5 AS
SELECT
    value,
    CASE
        WHEN value IS NULL THEN 0
        ELSE CAST(ROW_NUMBER() OVER (ORDER BY CASE WHEN value IS NULL THEN 1 ELSE 0 END, value) AS INTEGER)
    END AS code,
    n_orig, n_syn_1
FROM (
SELECT
    value,
    CAST(SUM(CASE WHEN file = 0 THEN n ELSE 0 END) AS BIGINT) AS n_orig,
    CAST(SUM(CASE WHEN file = 1 THEN n ELSE 0 END) AS BIGINT) AS n_syn_1
FROM (
    SELECT value, 0 AS file, COUNT(*) AS n
    FROM (SELECT "long 3" AS value FROM read_parquet(['original.parquet'])) AS source_0
    GROUP BY value
    UNION ALL
    SELECT value, 1 AS file, COUNT(*) AS n
    FROM (SELECT "long 3" AS value FROM read_parquet(['syn_1.parquet'])) AS source_1
    GROUP BY value
) AS per_file
GROUP BY value
) AS counted;

CREATE TABLE levels_k6 AS
SELECT
    value,
    CASE
        WHEN value IS NULL THEN 0
        ELSE CAST(ROW_NUMBER() OVER (ORDER BY CASE WHEN value IS NULL THEN 1 ELSE 0 END, value) AS INTEGER)
    END AS code,
    n_orig, n_syn_1
FROM (
SELECT
    value,
    CAST(SUM(CASE WHEN file = 0 THEN n ELSE 0 END) AS BIGINT) AS n_orig,
    CAST(SUM(CASE WHEN file = 1 THEN n ELSE 0 END) AS BIGINT) AS n_syn_1
FROM (
    SELECT value, 0 AS file, COUNT(*) AS n
    FROM (SELECT "long 4" AS value FROM read_parquet(['original.parquet'])) AS source_0
    GROUP BY value
    UNION ALL
    SELECT value, 1 AS file, COUNT(*) AS n
    FROM (SELECT "long 4" AS value FROM read_parquet(['syn_1.parquet'])) AS source_1
    GROUP BY value
) AS per_file
GROUP BY value
) AS counted;

CREATE TABLE levels_k7 AS
SELECT
    value,
    CASE
        WHEN value IS NULL THEN 0
        ELSE CAST(ROW_NUMBER() OVER (ORDER BY CASE WHEN value IS NULL THEN 1 ELSE 0 END, value) AS INTEGER)
    END AS code,
    n_orig, n_syn_1
FROM (
SELECT
    value,
    CAST(SUM(CASE WHEN file = 0 THEN n ELSE 0 END) AS BIGINT) AS n_orig,
    CAST(SUM(CASE WHEN file = 1 THEN n ELSE 0 END) AS BIGINT) AS n_syn_1
FROM (
    SELECT value, 0 AS file, COUNT(*) AS n
    FROM (SELECT "long 5" AS value FROM read_parquet(['original.parquet'])) AS source_0
    GROUP BY value
    UNION ALL
    SELECT value, 1 AS file, COUNT(*) AS n
    FROM (SELECT "long 5" AS value FROM read_parquet(['syn_1.parquet'])) AS source_1
    GROUP BY value
) AS per_file
GROUP BY value
) AS counted;

CREATE TABLE levels_k8 AS
SELECT
    value,
    CASE
        WHEN value IS NULL THEN 0
        ELSE CAST(ROW_NUMBER() OVER (ORDER BY CASE WHEN value IS NULL THEN 1 ELSE 0 END, value) AS INTEGER)
    END AS code,
    n_orig, n_syn_1
FROM (
SELECT
    value,
    CAST(SUM(CASE WHEN file = 0 THEN n ELSE 0 END) AS BIGINT) AS n_orig,
    CAST(SUM(CASE WHEN file = 1 THEN n ELSE 0 END) AS BIGINT) AS n_syn_1
FROM (
    SELECT value, 0 AS file, COUNT(*) AS n
    FROM (SELECT "long 6" AS value FROM read_parquet(['original.parquet'])) AS source_0
    GROUP BY value
    UNION ALL
    SELECT value, 1 AS file, COUNT(*) AS n
    FROM (SELECT "long 6" AS value FROM read_parquet(['syn_1.parquet'])) AS source_1
    GROUP BY value
) AS per_file
GROUP BY value
) AS counted;

CREATE TABLE levels_k9 AS
SELECT
    value,
    CASE
        WHEN value IS NULL THEN 0
        ELSE CAST(ROW_NUMBER() OVER (ORDER BY CASE WHEN value IS NULL THEN 1 ELSE 0 END, value) AS INTEGER)
    END AS code,
    n_orig, n_syn_1
FROM (
SELECT
    value,
    CAST(SUM(CASE WHEN file = 0 THEN n ELSE 0 END) AS BIGINT) AS n_orig,
    CAST(SUM(CASE WHEN file = 1 THEN n ELSE 0 END) AS BIGINT) AS n_syn_1
FROM (
    SELECT value, 0 AS file, COUNT(*) AS n
    FROM (SELECT "long 7" AS value FROM read_parquet(['original.parquet'])) AS source_0
    GROUP BY value
    UNION ALL
    SELECT value, 1 AS file, COUNT(*) AS n
    FROM (SELECT "long 7" AS value FROM read_parquet(['syn_1.parquet'])) AS source_1
    GROUP BY value
) AS per_file
GROUP BY value
) AS counted;

-- CREATE TABLE levels_t1 AS ... (as in one_target)

-- CREATE TABLE files AS ... (as in plain)

-- CREATE TABLE marginals_t1 AS ... (as in plain)

CREATE TABLE records AS
-- The class key packs the key codes by mixed radix (k1 + n1*(k2 + n2*k3 ...)): exact and invertible, without hashing.
-- If the product of the numbers of levels exceeds 2^62, a further column begins. p1 and so on are 1 if the person
-- belongs to a population, or the code of the person's level for the populations of a column. weight is the survey
-- weight. Synthetic records have 0 in all of them.
SELECT
    CAST(0 AS INTEGER) AS file,
    CAST(COALESCE(k1.code, 0) AS BIGINT) + CAST(COALESCE(k2.code, 0) AS BIGINT) * 3 + CAST(COALESCE(k3.code, 0) AS BIGINT) * 1203 + CAST(COALESCE(k4.code, 0) AS BIGINT) * 482403 + CAST(COALESCE(k5.code, 0) AS BIGINT) * 193443603 + CAST(COALESCE(k6.code, 0) AS BIGINT) * 77570884803 + CAST(COALESCE(k7.code, 0) AS BIGINT) * 31105924806003 AS class_key,
    CAST(COALESCE(k8.code, 0) AS BIGINT) + CAST(COALESCE(k9.code, 0) AS BIGINT) * 401 AS class_key_2,
    COALESCE(t1.code, 0) AS t1
FROM (
    SELECT
        "sex" AS value_k1,
        "long 0" AS value_k2,
        "long 1" AS value_k3,
        "long 2" AS value_k4,
        "long 3" AS value_k5,
        "long 4" AS value_k6,
        "long 5" AS value_k7,
        "long 6" AS value_k8,
        "long 7" AS value_k9,
        "ill" AS value_t1
    FROM read_parquet(['original.parquet'])
) AS source
LEFT JOIN levels_k1 AS k1 ON source.value_k1 = k1.value
LEFT JOIN levels_k2 AS k2 ON source.value_k2 = k2.value
LEFT JOIN levels_k3 AS k3 ON source.value_k3 = k3.value
LEFT JOIN levels_k4 AS k4 ON source.value_k4 = k4.value
LEFT JOIN levels_k5 AS k5 ON source.value_k5 = k5.value
LEFT JOIN levels_k6 AS k6 ON source.value_k6 = k6.value
LEFT JOIN levels_k7 AS k7 ON source.value_k7 = k7.value
LEFT JOIN levels_k8 AS k8 ON source.value_k8 = k8.value
LEFT JOIN levels_k9 AS k9 ON source.value_k9 = k9.value
LEFT JOIN levels_t1 AS t1 ON source.value_t1 = t1.value
UNION ALL
-- The class key packs the key codes by mixed radix (k1 + n1*(k2 + n2*k3 ...)): exact and invertible, without hashing.
-- If the product of the numbers of levels exceeds 2^62, a further column begins. p1 and so on are 1 if the person
-- belongs to a population, or the code of the person's level for the populations of a column. weight is the survey
-- weight. Synthetic records have 0 in all of them.
SELECT
    CAST(1 AS INTEGER) AS file,
    CAST(COALESCE(k1.code, 0) AS BIGINT) + CAST(COALESCE(k2.code, 0) AS BIGINT) * 3 + CAST(COALESCE(k3.code, 0) AS BIGINT) * 1203 + CAST(COALESCE(k4.code, 0) AS BIGINT) * 482403 + CAST(COALESCE(k5.code, 0) AS BIGINT) * 193443603 + CAST(COALESCE(k6.code, 0) AS BIGINT) * 77570884803 + CAST(COALESCE(k7.code, 0) AS BIGINT) * 31105924806003 AS class_key,
    CAST(COALESCE(k8.code, 0) AS BIGINT) + CAST(COALESCE(k9.code, 0) AS BIGINT) * 401 AS class_key_2,
    COALESCE(t1.code, 0) AS t1
FROM (
    SELECT
        "sex" AS value_k1,
        "long 0" AS value_k2,
        "long 1" AS value_k3,
        "long 2" AS value_k4,
        "long 3" AS value_k5,
        "long 4" AS value_k6,
        "long 5" AS value_k7,
        "long 6" AS value_k8,
        "long 7" AS value_k9,
        "ill" AS value_t1
    FROM read_parquet(['syn_1.parquet'])
) AS source
LEFT JOIN levels_k1 AS k1 ON source.value_k1 = k1.value
LEFT JOIN levels_k2 AS k2 ON source.value_k2 = k2.value
LEFT JOIN levels_k3 AS k3 ON source.value_k3 = k3.value
LEFT JOIN levels_k4 AS k4 ON source.value_k4 = k4.value
LEFT JOIN levels_k5 AS k5 ON source.value_k5 = k5.value
LEFT JOIN levels_k6 AS k6 ON source.value_k6 = k6.value
LEFT JOIN levels_k7 AS k7 ON source.value_k7 = k7.value
LEFT JOIN levels_k8 AS k8 ON source.value_k8 = k8.value
LEFT JOIN levels_k9 AS k9 ON source.value_k9 = k9.value
LEFT JOIN levels_t1 AS t1 ON source.value_t1 = t1.value;

-- CREATE TABLE cells_t1 AS ... (as in plain)

-- CREATE TABLE classes AS ... (as in plain)

CREATE TABLE cell_parts AS
SELECT
    1 AS target, 1 AS comparison, 0 AS population,
    CAST(SUM(CASE WHEN (n_syn_class > 0 AND n_orig > 0) THEN counted_orig ELSE 0 END) AS BIGINT) AS is_numerator,
    CAST(SUM(people) AS BIGINT) AS is_denominator
FROM (
    -- Measures over cells read this table. A measure reads only the counts of a cell, so cells with equal counts are
    -- combined: millions of cells become some thousands of rows. What the intruder sees (n_*, share_*) is the value of each
    -- single cell. Who is counted (people, synthetic, counted_*, n_cells) is summed over the cells. counted_most is the
    -- greatest number of people counted in one cell. In a population it can be less than n_orig.
    SELECT
        n_orig, n_syn, n_orig_class, n_syn_class,
        n_orig AS n_base, n_orig_class AS n_base_class, n_orig_level, n_orig_all,
        CAST(n_orig AS DOUBLE) / NULLIF(CAST(n_orig_class AS DOUBLE), 0) AS share_orig,
        CAST(n_syn AS DOUBLE) / NULLIF(CAST(n_syn_class AS DOUBLE), 0) AS share_syn,
        CAST(n_orig_level AS DOUBLE) / NULLIF(CAST(n_orig_all AS DOUBLE), 0) AS share_level,
        n_cells,
        sum_people AS people, synthetic,
        sum_counted_orig AS counted_orig, sum_counted_orig_class AS counted_orig_class, sum_counted_syn AS counted_syn,
        counted_most
    FROM (
        SELECT
            n_orig, n_syn, n_orig_class, n_syn_class, n_orig_level, n_orig_all,
            COUNT(*) AS n_cells,
            CAST(SUM(people) AS BIGINT) AS sum_people,
            CAST(SUM(n_syn) AS BIGINT) AS synthetic,
            CAST(SUM(counted_orig) AS BIGINT) AS sum_counted_orig,
            CAST(SUM(counted_orig_class) AS BIGINT) AS sum_counted_orig_class,
            CAST(SUM(counted_syn) AS BIGINT) AS sum_counted_syn,
            MAX(counted_orig) AS counted_most
        FROM (
            -- There are two kinds of columns. What the intruder sees: n_orig, n_syn and their totals over the class, the level and
            -- the file. They decide which cells are disclosive, and every proportion. Who is counted: people, and counted_* after
            -- exclusions. Numerators are sums of these. n_orig counts the file of the people, original or control.
            SELECT
                class_key, class_key_2, level_code,
                n_own AS n_orig, n_syn, n_own_class AS n_orig_class, n_syn_class, n_orig_level, n_syn_level, n_orig_all, n_syn_all, n_base, n_base_class,
                n_own AS people,
                n_own AS counted_orig, n_own_class AS counted_orig_class, n_syn AS counted_syn
            FROM (
                -- n_own counts the file of the people, original or control. n_base always counts the original, whose CAPd and baseline
                -- are the reference. n_revealing is the number of compared files that reveal the level by themselves. It is made only
                -- if a measure reads it.
                SELECT
                    cells.class_key AS class_key, cells.class_key_2 AS class_key_2, cells.level_code AS level_code,
                    cells.n_orig AS n_own, cells.n_syn_1 AS n_syn,
                    cells.n_orig_class AS n_own_class,
                    cells.n_syn_class_1 AS n_syn_class,
                    marginals.n_orig AS n_orig_level, marginals.n_syn_1 AS n_syn_level,
                    marginals.n_orig_all AS n_orig_all, marginals.n_syn_all_1 AS n_syn_all,
                    cells.n_orig AS n_base, cells.n_orig_class AS n_base_class,
                    marginals.excluded_level AS excluded_level
                FROM cells_t1 AS cells
                JOIN marginals_t1 AS marginals ON cells.level_code = marginals.level_code
            ) AS seen
        ) AS compared
        GROUP BY n_orig, n_syn, n_orig_class, n_syn_class, n_orig_level, n_orig_all
    ) AS counted
) AS cells;

CREATE TABLE results AS
-- The only place where percentages of measures are computed. A denominator of 0 gives NULL, never 0.
SELECT
    measure, point, target, comparison, population, weighted, numerator, denominator,
    COALESCE(factor * plain, factor * CAST(numerator AS DOUBLE) / NULLIF(CAST(denominator AS DOUBLE), 0)) AS value
FROM (
    SELECT
        'iS' AS measure, CAST(NULL AS DOUBLE) AS point,
        target, comparison, population,
        0 AS weighted,
        CAST(SUM(is_numerator) AS DOUBLE) AS numerator,
        CAST(SUM(is_denominator) AS DOUBLE) AS denominator, CAST(NULL AS DOUBLE) AS plain,
        CAST(100 AS DOUBLE) AS factor
    FROM cell_parts
    GROUP BY target, comparison, population
) AS fractions;

SELECT measure, point, target, comparison, numerator, denominator, value
FROM results
WHERE measure = 'iS'
ORDER BY point, target, comparison;
