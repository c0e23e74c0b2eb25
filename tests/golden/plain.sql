-- DiSCO: Disclosive in synthetic, correct in original
-- 100 * sum of d_tq where s_tq = s_q > 0 / N_d (percent of original records)
-- Source: Raab 2024, eq. 11

CREATE TABLE levels_k1 AS
SELECT
    value,
    CASE
        WHEN value IS NULL THEN 0
        ELSE CAST(ROW_NUMBER() OVER (ORDER BY CASE WHEN value IS NULL THEN 1 ELSE 0 END, value) AS INTEGER)
    END AS code,
    n_orig,
    n_syn_1
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
    n_orig,
    n_syn_1
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
    n_orig,
    n_syn_1
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
-- The class key packs the key codes by mixed radix (k1 + n1*(k2 + n2*k3 ...)): exact, invertible, nothing hashed. Where
-- the product of the level counts passes 2^62 it goes on in a further column. An outer join with COALESCE gives the
-- missing level its code 0 without a null-safe comparison, which most engines cannot hash.
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

CREATE TABLE classes AS
SELECT
    class_key, class_key_2,
    COUNT(CASE WHEN file = 0 THEN 1 END) AS n_orig,
    COUNT(CASE WHEN file = 1 THEN 1 END) AS n_syn_1
FROM records
GROUP BY class_key, class_key_2;

CREATE TABLE cells_t1 AS
-- Cells where no members are made: records are counted first and only the cells meet their classes, so that a class of
-- half of all records is one row of a join. For one target, and for a database that writes records slowly or moves them
-- between machines.
SELECT
    counted.class_key AS class_key, counted.class_key_2 AS class_key_2, counted.level_code AS level_code,
    classes.n_orig AS n_orig_class,
    classes.n_syn_1 AS n_syn_class_1,
    counted.n_orig AS n_orig,
    counted.n_syn_1 AS n_syn_1
FROM (
    SELECT
        class_key, class_key_2, t1 AS level_code,
        COUNT(CASE WHEN file = 0 THEN 1 END) AS n_orig,
        COUNT(CASE WHEN file = 1 THEN 1 END) AS n_syn_1
    FROM records
    GROUP BY class_key, class_key_2, t1
) AS counted
JOIN classes AS classes ON counted.class_key = classes.class_key AND counted.class_key_2 = classes.class_key_2;

CREATE TABLE cell_parts AS
SELECT
    1 AS target,
    1 AS comparison,
    0 AS population,
    CAST(SUM(CASE WHEN (n_syn = n_syn_class AND n_syn > 0 AND n_orig > 0) THEN counted_orig ELSE 0 END) AS BIGINT) AS disco_numerator,
    CAST(SUM(people) AS BIGINT) AS disco_denominator
FROM (
    -- This is what a measure over cells reads. A measure sees a cell only through its counts, so cells that look alike are
    -- taken together: millions of cells are some thousands of patterns. What the intruder sees (n_*, share_*) is that of
    -- each cell of the pattern; who is counted (people, synthetic, counted_*, n_cells) is summed over them.
    SELECT
        n_orig, n_syn, n_orig_class, n_syn_class,
        n_orig AS n_base, n_orig_class AS n_base_class, n_orig_level,
        n_orig_all,
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
            -- Two kinds of columns. What the intruder sees: n_orig, n_syn and their totals over the class, the level, the file;
            -- they decide who is disclosive and every proportion. Who is counted: people, and counted_* after exclusions;
            -- numerators sum these.
            -- n_base is the original's count: n_orig itself, but where the people are control, whose CAPd and baseline are the
            -- original's.
            SELECT
                cells.class_key AS class_key, cells.class_key_2 AS class_key_2, cells.level_code AS level_code,
                cells.n_orig AS n_orig, cells.n_syn_1 AS n_syn,
                cells.n_orig_class AS n_orig_class, cells.n_syn_class_1 AS n_syn_class,
                marginals.n_orig AS n_orig_level, marginals.n_syn_1 AS n_syn_level,
                marginals.n_orig_all AS n_orig_all, marginals.n_syn_all_1 AS n_syn_all,
                cells.n_orig AS n_base, cells.n_orig_class AS n_base_class,
                cells.n_orig AS people,
                cells.n_orig AS counted_orig,
                cells.n_orig_class AS counted_orig_class,
                cells.n_syn_1 AS counted_syn
            FROM cells_t1 AS cells
            JOIN marginals_t1 AS marginals ON cells.level_code = marginals.level_code
        ) AS compared
        GROUP BY n_orig, n_syn, n_orig_class, n_syn_class, n_orig_level, n_orig_all
    ) AS counted
) AS cells;

CREATE TABLE results AS
-- The one place where a percentage is made. A denominator of 0 gives NULL, never 0. The parts of several passes are
-- summed; what is least (MIN) or most (MAX) of each is so of all, and what counts the least is summed over the parts
-- that have it.
SELECT
    measure, point, target, comparison, population, weighted, numerator, denominator,
    COALESCE(factor * plain, factor * CAST(numerator AS DOUBLE) / NULLIF(CAST(denominator AS DOUBLE), 0)) AS value
FROM (
    SELECT
        'DiSCO' AS measure, CAST(NULL AS DOUBLE) AS point, target, comparison, population,
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
