-- repU: Replicated unique: unique in original and in synthetic
-- 100 * number of people with d_q = 1 and s_q = 1 / N_d (percent of original records)
-- Source: Raab 2024, eq. 5

CREATE TABLE levels_k1 AS
SELECT
    value,
    CASE
        WHEN value IS NULL THEN 0
        ELSE CAST(ROW_NUMBER() OVER (ORDER BY CASE WHEN value IS NULL THEN 1 ELSE 0 END, value) AS INTEGER)
    END AS code,
    n_orig,
    n_syn_1,
    n_syn_2,
    n_syn_3
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
    n_orig,
    n_syn_1,
    n_syn_2,
    n_syn_3
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
    n_orig,
    n_syn_1,
    n_syn_2,
    n_syn_3
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

CREATE TABLE levels_t2 AS
SELECT
    value,
    CASE
        WHEN value IS NULL THEN 0
        ELSE CAST(ROW_NUMBER() OVER (ORDER BY CASE WHEN value IS NULL THEN 1 ELSE 0 END, value) AS INTEGER)
    END AS code,
    n_orig,
    n_syn_1,
    n_syn_2,
    n_syn_3
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
LEFT JOIN levels_t2 AS t2 ON source.value_t2 = t2.value
UNION ALL
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
    0 AS target,
    1 AS comparison,
    0 AS population,
    CAST(SUM(CASE WHEN (n_orig = 1 AND n_syn = 1) THEN counted_orig ELSE 0 END) AS BIGINT) AS repu_numerator,
    CAST(SUM(people) AS BIGINT) AS repu_denominator
FROM (
    -- What the intruder sees: n_orig, n_syn. Who is counted: people and synthetic, and counted_orig and counted_syn after
    -- exclusions. Excluded target levels do not matter here: a class is found by its keys.
    SELECT
        class_key,
        n_orig,
        n_syn,
        n_orig AS people,
        n_syn AS synthetic,
        n_orig AS counted_orig,
        n_syn AS counted_syn
    FROM (
        SELECT class_key, n_orig AS n_orig, n_syn_1 AS n_syn
        FROM classes
    ) AS seen
) AS classes;

INSERT INTO class_parts
SELECT
    0 AS target,
    2 AS comparison,
    0 AS population,
    CAST(SUM(CASE WHEN (n_orig = 1 AND n_syn = 1) THEN counted_orig ELSE 0 END) AS BIGINT) AS repu_numerator,
    CAST(SUM(people) AS BIGINT) AS repu_denominator
FROM (
    -- What the intruder sees: n_orig, n_syn. Who is counted: people and synthetic, and counted_orig and counted_syn after
    -- exclusions. Excluded target levels do not matter here: a class is found by its keys.
    SELECT
        class_key,
        n_orig,
        n_syn,
        n_orig AS people,
        n_syn AS synthetic,
        n_orig AS counted_orig,
        n_syn AS counted_syn
    FROM (
        SELECT class_key, n_orig AS n_orig, n_syn_2 AS n_syn
        FROM classes
    ) AS seen
) AS classes;

INSERT INTO class_parts
SELECT
    0 AS target,
    3 AS comparison,
    0 AS population,
    CAST(SUM(CASE WHEN (n_orig = 1 AND n_syn = 1) THEN counted_orig ELSE 0 END) AS BIGINT) AS repu_numerator,
    CAST(SUM(people) AS BIGINT) AS repu_denominator
FROM (
    -- What the intruder sees: n_orig, n_syn. Who is counted: people and synthetic, and counted_orig and counted_syn after
    -- exclusions. Excluded target levels do not matter here: a class is found by its keys.
    SELECT
        class_key,
        n_orig,
        n_syn,
        n_orig AS people,
        n_syn AS synthetic,
        n_orig AS counted_orig,
        n_syn AS counted_syn
    FROM (
        SELECT class_key, n_orig AS n_orig, n_syn_1 + n_syn_2 AS n_syn
        FROM classes
    ) AS seen
) AS classes;

INSERT INTO class_parts
SELECT
    0 AS target,
    4 AS comparison,
    0 AS population,
    CAST(SUM(CASE WHEN (n_orig = 1 AND n_syn = 1) THEN counted_orig ELSE 0 END) AS BIGINT) AS repu_numerator,
    CAST(SUM(people) AS BIGINT) AS repu_denominator
FROM (
    -- What the intruder sees: n_orig, n_syn. Who is counted: people and synthetic, and counted_orig and counted_syn after
    -- exclusions. Excluded target levels do not matter here: a class is found by its keys.
    SELECT
        class_key,
        n_orig,
        n_syn,
        n_orig AS people,
        n_syn AS synthetic,
        n_orig AS counted_orig,
        n_syn AS counted_syn
    FROM (
        SELECT class_key, n_orig AS n_orig, n_syn_3 AS n_syn
        FROM classes
    ) AS seen
) AS classes;

CREATE TABLE results AS
-- The one place where a percentage is made. A denominator of 0 gives NULL, never 0. The parts of several passes are
-- summed; what is least (MIN) or most (MAX) of each is so of all, and what counts the least is summed over the parts
-- that have it.
SELECT
    measure, point, target, comparison, population, weighted, numerator, denominator,
    COALESCE(factor * plain, factor * CAST(numerator AS DOUBLE) / NULLIF(CAST(denominator AS DOUBLE), 0)) AS value
FROM (
    SELECT
        'repU' AS measure, CAST(NULL AS DOUBLE) AS point, target, comparison, population,
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
