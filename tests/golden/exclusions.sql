-- R_known_DiSCO: Known anyway: what exclusions take out of DiSCO
-- (DiSCO of all - DiSCO after exclusions) / (100 - DiSCO after exclusions) (proportion of the people whom DiSCO after exclusions leaves out)
-- Source: Raab 2024, sect. 5

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
    n_orig,
    n_syn_1
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
    n_orig,
    n_syn_1
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

CREATE TABLE levels_t2 AS
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
    FROM (SELECT "income" AS value FROM read_parquet(['original.parquet'])) AS source_0
    GROUP BY value
    UNION ALL
    SELECT value, 1 AS file, COUNT(*) AS n
    FROM (SELECT "income" AS value FROM read_parquet(['syn_1.parquet'])) AS source_1
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
        CASE WHEN
            levels.value = 'none' OR
            levels.value = 'it''s'
        THEN 1 ELSE 0 END AS is_excluded
    FROM levels_t1 AS levels
    CROSS JOIN files AS files
) AS seen
GROUP BY level_code, n_orig_all, n_syn_all_1;

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
-- The class key packs the key codes by mixed radix (k1 + n1*(k2 + n2*k3 ...)): exact, invertible, nothing hashed. Where
-- the product of the level counts passes 2^62 it goes on in a further column. An outer join with COALESCE gives the
-- missing level its code 0 without a null-safe comparison, which most engines cannot hash.
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

CREATE TABLE classes AS
SELECT
    class_key,
    COUNT(CASE WHEN file = 0 THEN 1 END) AS n_orig,
    COUNT(CASE WHEN file = 1 THEN 1 END) AS n_syn_1
FROM records
GROUP BY class_key;

CREATE TABLE cells_t1 AS
-- Cells where no members are made: records are counted first and only the cells meet their classes, so that a class of
-- half of all records is one row of a join. For one target, and for a database that writes records slowly or moves them
-- between machines.
SELECT
    counted.class_key AS class_key, counted.level_code AS level_code,
    classes.n_orig AS n_orig_class,
    classes.n_syn_1 AS n_syn_class_1,
    counted.n_orig AS n_orig,
    counted.n_syn_1 AS n_syn_1
FROM (
    SELECT
        class_key, t1 AS level_code,
        COUNT(CASE WHEN file = 0 THEN 1 END) AS n_orig,
        COUNT(CASE WHEN file = 1 THEN 1 END) AS n_syn_1
    FROM records
    GROUP BY class_key, t1
) AS counted
JOIN classes AS classes ON counted.class_key = classes.class_key;

CREATE TABLE cell_parts AS
SELECT
    1 AS target,
    1 AS comparison,
    0 AS population,
    CAST(SUM(CASE WHEN n_syn = n_syn_class AND n_syn > 0 THEN people - counted_orig ELSE 0 END) AS BIGINT) AS r_known_disco_numerator,
    CAST(SUM(people - CASE WHEN n_syn = n_syn_class AND n_syn > 0 THEN counted_orig ELSE 0 END) AS BIGINT) AS r_known_disco_denominator
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
                class_key, level_code,
                n_orig, n_syn, n_orig_class, n_syn_class, n_orig_level, n_syn_level, n_orig_all, n_syn_all, n_base, n_base_class,
                people,
                counted_orig,
                CAST(SUM(counted_orig) OVER (PARTITION BY class_key) AS BIGINT) AS counted_orig_class,
                counted_syn,
                excluded_orig, excluded_syn
            FROM (
                SELECT
                    class_key, level_code,
                    n_orig, n_syn, n_orig_class, n_syn_class, n_orig_level, n_syn_level, n_orig_all, n_syn_all, n_base, n_base_class,
                    people,
                    CASE WHEN excluded_orig IS NULL THEN people ELSE 0 END AS counted_orig,
                    CASE WHEN excluded_syn IS NULL THEN n_syn ELSE 0 END AS counted_syn,
                    excluded_orig, excluded_syn
                FROM (
                    SELECT
                        class_key, level_code,
                        n_orig, n_syn, n_orig_class, n_syn_class, n_orig_level, n_syn_level, n_orig_all, n_syn_all, n_base, n_base_class,
                        people,
                        -- The size limit is per side: of original counts for people, of synthetic counts for synthetic records.
                        COALESCE(reason,
                            CASE WHEN n_orig > 20 OR n_syn > 25 THEN 'cell over the size limit' END) AS excluded_orig,
                        COALESCE(reason,
                            CASE WHEN n_syn > 20 THEN 'cell over the size limit' END) AS excluded_syn
                    FROM (
                        SELECT
                            cells.class_key AS class_key, cells.level_code AS level_code,
                            cells.n_orig AS n_orig, cells.n_syn_1 AS n_syn,
                            cells.n_orig_class AS n_orig_class, cells.n_syn_class_1 AS n_syn_class,
                            marginals.n_orig AS n_orig_level, marginals.n_syn_1 AS n_syn_level,
                            marginals.n_orig_all AS n_orig_all, marginals.n_syn_all_1 AS n_syn_all,
                            cells.n_orig AS n_base, cells.n_orig_class AS n_base_class,
                            cells.n_orig AS people,
                            -- The first reason that fits is the one reported.
                            CASE
                                WHEN marginals.excluded_level = 1 THEN 'target level'
                                WHEN cells.level_code = 0 THEN 'missing target'
                                WHEN cells.class_key % 3 = 0 THEN 'missing key'
                            END AS reason
                        FROM cells_t1 AS cells
                        JOIN marginals_t1 AS marginals ON cells.level_code = marginals.level_code
                    ) AS seen
                ) AS reasons
            ) AS counted
        ) AS compared
        GROUP BY n_orig, n_syn, n_orig_class, n_syn_class, n_orig_level, n_orig_all, excluded_orig, excluded_syn
    ) AS counted
) AS cells;

CREATE TABLE cells_t2 AS
-- Cells where no members are made: records are counted first and only the cells meet their classes, so that a class of
-- half of all records is one row of a join. For one target, and for a database that writes records slowly or moves them
-- between machines.
SELECT
    counted.class_key AS class_key, counted.level_code AS level_code,
    classes.n_orig AS n_orig_class,
    classes.n_syn_1 AS n_syn_class_1,
    counted.n_orig AS n_orig,
    counted.n_syn_1 AS n_syn_1
FROM (
    SELECT
        class_key, t2 AS level_code,
        COUNT(CASE WHEN file = 0 THEN 1 END) AS n_orig,
        COUNT(CASE WHEN file = 1 THEN 1 END) AS n_syn_1
    FROM records
    GROUP BY class_key, t2
) AS counted
JOIN classes AS classes ON counted.class_key = classes.class_key;

INSERT INTO cell_parts
SELECT
    2 AS target,
    1 AS comparison,
    0 AS population,
    CAST(SUM(CASE WHEN n_syn = n_syn_class AND n_syn > 0 THEN people - counted_orig ELSE 0 END) AS BIGINT) AS r_known_disco_numerator,
    CAST(SUM(people - CASE WHEN n_syn = n_syn_class AND n_syn > 0 THEN counted_orig ELSE 0 END) AS BIGINT) AS r_known_disco_denominator
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
                class_key, level_code,
                n_orig, n_syn, n_orig_class, n_syn_class, n_orig_level, n_syn_level, n_orig_all, n_syn_all, n_base, n_base_class,
                people,
                counted_orig,
                CAST(SUM(counted_orig) OVER (PARTITION BY class_key) AS BIGINT) AS counted_orig_class,
                counted_syn,
                excluded_orig, excluded_syn
            FROM (
                SELECT
                    class_key, level_code,
                    n_orig, n_syn, n_orig_class, n_syn_class, n_orig_level, n_syn_level, n_orig_all, n_syn_all, n_base, n_base_class,
                    people,
                    CASE WHEN excluded_orig IS NULL THEN people ELSE 0 END AS counted_orig,
                    CASE WHEN excluded_syn IS NULL THEN n_syn ELSE 0 END AS counted_syn,
                    excluded_orig, excluded_syn
                FROM (
                    SELECT
                        class_key, level_code,
                        n_orig, n_syn, n_orig_class, n_syn_class, n_orig_level, n_syn_level, n_orig_all, n_syn_all, n_base, n_base_class,
                        people,
                        -- The size limit is per side: of original counts for people, of synthetic counts for synthetic records.
                        COALESCE(reason,
                            CASE WHEN n_orig > 20 OR n_syn > 25 THEN 'cell over the size limit' END) AS excluded_orig,
                        COALESCE(reason,
                            CASE WHEN n_syn > 20 THEN 'cell over the size limit' END) AS excluded_syn
                    FROM (
                        SELECT
                            cells.class_key AS class_key, cells.level_code AS level_code,
                            cells.n_orig AS n_orig, cells.n_syn_1 AS n_syn,
                            cells.n_orig_class AS n_orig_class, cells.n_syn_class_1 AS n_syn_class,
                            marginals.n_orig AS n_orig_level, marginals.n_syn_1 AS n_syn_level,
                            marginals.n_orig_all AS n_orig_all, marginals.n_syn_all_1 AS n_syn_all,
                            cells.n_orig AS n_base, cells.n_orig_class AS n_base_class,
                            cells.n_orig AS people,
                            -- The first reason that fits is the one reported.
                            CASE
                                WHEN marginals.excluded_level = 1 THEN 'target level'
                                WHEN cells.level_code = 0 THEN 'missing target'
                                WHEN cells.class_key % 3 = 0 THEN 'missing key'
                                WHEN pair_1.hit = 1 THEN 'key-and-target pair'
                            END AS reason
                        FROM cells_t2 AS cells
                        JOIN marginals_t2 AS marginals ON cells.level_code = marginals.level_code
                        LEFT JOIN (
                            -- One row: the code of the target level by that of the key level. Several values of a bin have one
                            -- code.
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
                        ) AS pair_1 ON cells.level_code = pair_1.level_code AND (cells.class_key - cells.class_key % 3) = pair_1.digit
                    ) AS seen
                ) AS reasons
            ) AS counted
        ) AS compared
        GROUP BY n_orig, n_syn, n_orig_class, n_syn_class, n_orig_level, n_orig_all, excluded_orig, excluded_syn
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
        'R_known_DiSCO' AS measure, CAST(NULL AS DOUBLE) AS point, target, comparison, population,
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
