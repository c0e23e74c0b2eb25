CREATE TABLE table_counts AS
-- A cell of a table is a class whose keys are the columns of the table. Cells that only another synthesis has are left
-- out.
SELECT CAST(1 AS INTEGER) AS table_number, synthesis, n_orig, n_syn, COUNT(*) AS n_cells
FROM (
    SELECT CAST(1 AS INTEGER) AS synthesis, n_orig, n_syn_1 AS n_syn
    FROM classes
    WHERE n_orig + n_syn_1 > 0
    UNION ALL
    SELECT CAST(2 AS INTEGER) AS synthesis, n_orig, n_syn_2 AS n_syn
    FROM classes
    WHERE n_orig + n_syn_2 > 0
) AS both_files
GROUP BY synthesis, n_orig, n_syn;

CREATE TABLE scored_counts AS
-- The score of a cell is the share of its records that are synthetic. A table without a record in one of the files has
-- no row, which can happen if records with a missing value are left out. Equal scores are equal DOUBLEs, because a
-- quotient of whole numbers is rounded once.
WITH summed AS (
    SELECT table_number, synthesis, n_orig, n_syn, CAST(SUM(cells_of_pass) AS BIGINT) AS n_cells
    FROM (SELECT table_number, synthesis, n_orig, n_syn, n_cells AS cells_of_pass FROM table_counts) AS passes
    GROUP BY table_number, synthesis, n_orig, n_syn
), sized AS (
    SELECT
        table_number, synthesis, n_cells, n_orig, n_syn, CAST(n_syn AS DOUBLE) / CAST(n_orig + n_syn AS DOUBLE) AS score,
        CAST(SUM(n_cells * n_orig) OVER (PARTITION BY table_number, synthesis) AS BIGINT) AS people,
        CAST(SUM(n_cells * n_syn) OVER (PARTITION BY table_number, synthesis) AS BIGINT) AS synthetic
    FROM summed
), scored AS (
    SELECT
        table_number, synthesis, n_cells, n_orig, n_syn, people, synthetic, score,
        CAST(synthetic AS DOUBLE) / CAST(people + synthetic AS DOUBLE) AS share_all,
        CAST(n_orig AS DOUBLE) / CAST(people AS DOUBLE) AS share_orig,
        CAST(n_syn AS DOUBLE) / CAST(synthetic AS DOUBLE) AS share_syn,
        CAST(n_orig * synthetic AS DOUBLE) / CAST(people AS DOUBLE) AS expected,
        CAST(SUM(n_cells * n_orig) OVER (PARTITION BY table_number, synthesis ORDER BY score, n_orig ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS BIGINT) AS orig_so_far,
        CAST(SUM(n_cells * n_syn) OVER (PARTITION BY table_number, synthesis ORDER BY score, n_orig ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS BIGINT) AS syn_so_far
    FROM sized
    WHERE people > 0 AND synthetic > 0
)
SELECT
    table_number, synthesis, n_cells, n_orig, n_syn, people, synthetic, share_all, share_orig, share_syn, expected, score,
    MIN(orig_so_far - n_cells * n_orig) OVER (PARTITION BY table_number, synthesis, score) AS orig_below,
    MAX(orig_so_far) OVER (PARTITION BY table_number, synthesis, score) AS orig_upto,
    MAX(syn_so_far) OVER (PARTITION BY table_number, synthesis, score) AS syn_upto
FROM scored;

CREATE TABLE utility_results AS
SELECT 'cells' AS measure, table_number, synthesis, value
FROM (
    SELECT table_number, synthesis, CAST(SUM(n_cells) AS DOUBLE) AS value
    FROM scored_counts
    GROUP BY table_number, synthesis
) AS of_measure_1
UNION ALL
SELECT 'pMSE' AS measure, table_number, synthesis, value
FROM (
    SELECT
        table_number, synthesis,
        CAST(SUM(n_cells * (n_orig + n_syn) * (score - share_all) * (score - share_all)) AS DOUBLE) / CAST(SUM(n_cells * (n_orig + n_syn)) AS DOUBLE) AS value
    FROM scored_counts
    GROUP BY table_number, synthesis
) AS of_measure_2
UNION ALL
SELECT 'S_pMSE' AS measure, table_number, synthesis, value
FROM (
    SELECT table_number, synthesis, CAST(SUM(CAST(n_cells * (n_syn - expected) * (n_syn - expected) AS DOUBLE) / CAST((n_orig + n_syn) * share_all AS DOUBLE)) AS DOUBLE) / NULLIF(CAST(SUM(n_cells) - 1 AS DOUBLE), 0) AS value
    FROM scored_counts
    GROUP BY table_number, synthesis
) AS of_measure_3
UNION ALL
SELECT 'VW' AS measure, table_number, synthesis, value
FROM (
    SELECT table_number, synthesis, SUM(CAST(n_cells * (n_syn - expected) * (n_syn - expected) AS DOUBLE) / CAST((n_orig + n_syn) * share_all AS DOUBLE)) AS value
    FROM scored_counts
    GROUP BY table_number, synthesis
) AS of_measure_4
UNION ALL
SELECT 'FT' AS measure, table_number, synthesis, value
FROM (
    SELECT table_number, synthesis, 4 * SUM(n_cells * (SQRT(n_syn) - SQRT(expected)) * (SQRT(n_syn) - SQRT(expected))) AS value
    FROM scored_counts
    GROUP BY table_number, synthesis
) AS of_measure_5
UNION ALL
SELECT 'S_FT' AS measure, table_number, synthesis, value
FROM (
    SELECT table_number, synthesis, CAST(4 * SUM(n_cells * (SQRT(n_syn) - SQRT(expected)) * (SQRT(n_syn) - SQRT(expected))) AS DOUBLE) / NULLIF(CAST(SUM(n_cells) - 1 AS DOUBLE), 0) AS value
    FROM scored_counts
    GROUP BY table_number, synthesis
) AS of_measure_6
UNION ALL
SELECT 'JSD' AS measure, table_number, synthesis, value
FROM (
    SELECT table_number, synthesis, CAST(CAST(SUM(n_cells * CASE WHEN share_orig > 0 THEN share_orig * LN(CAST(2 * share_orig AS DOUBLE) / CAST(share_orig + share_syn AS DOUBLE)) ELSE 0 END) + SUM(n_cells * CASE WHEN share_syn > 0 THEN share_syn * LN(CAST(2 * share_syn AS DOUBLE) / CAST(share_orig + share_syn AS DOUBLE)) ELSE 0 END) AS DOUBLE) / CAST(2 AS DOUBLE) AS DOUBLE) / CAST(LN(2) AS DOUBLE) AS value
    FROM scored_counts
    GROUP BY table_number, synthesis
) AS of_measure_7
UNION ALL
SELECT 'S_JSD' AS measure, table_number, synthesis, value
FROM (
    SELECT table_number, synthesis, CAST(8 * MAX(synthetic) * CAST(SUM(n_cells * CASE WHEN share_orig > 0 THEN share_orig * LN(CAST(2 * share_orig AS DOUBLE) / CAST(share_orig + share_syn AS DOUBLE)) ELSE 0 END) + SUM(n_cells * CASE WHEN share_syn > 0 THEN share_syn * LN(CAST(2 * share_syn AS DOUBLE) / CAST(share_orig + share_syn AS DOUBLE)) ELSE 0 END) AS DOUBLE) / CAST(2 AS DOUBLE) AS DOUBLE) / NULLIF(CAST(SUM(n_cells) - 1 AS DOUBLE), 0) AS value
    FROM scored_counts
    GROUP BY table_number, synthesis
) AS of_measure_8
UNION ALL
SELECT 'G' AS measure, table_number, synthesis, value
FROM (
    SELECT table_number, synthesis, 2 * (SUM(n_cells * n_syn * LN(CAST(n_syn AS DOUBLE) / CAST(expected AS DOUBLE)))
        - SUM(n_cells * n_syn) * LN(CAST(SUM(n_cells * n_syn) AS DOUBLE) / CAST(SUM(n_cells * expected) AS DOUBLE))) AS value
    FROM scored_counts
    WHERE n_orig > 0 AND n_syn > 0
    GROUP BY table_number, synthesis
) AS of_measure_9
UNION ALL
SELECT 'S_G' AS measure, table_number, synthesis, value
FROM (
    SELECT table_number, synthesis, CAST(2 * (SUM(n_cells * n_syn * LN(CAST(n_syn AS DOUBLE) / CAST(expected AS DOUBLE)))
        - SUM(n_cells * n_syn) * LN(CAST(SUM(n_cells * n_syn) AS DOUBLE) / CAST(SUM(n_cells * expected) AS DOUBLE))) AS DOUBLE) / NULLIF(CAST(SUM(n_cells) - 1 AS DOUBLE), 0) AS value
    FROM scored_counts
    WHERE n_orig > 0 AND n_syn > 0
    GROUP BY table_number, synthesis
) AS of_measure_10
UNION ALL
SELECT 'SPECKS' AS measure, table_number, synthesis, value
FROM (
    SELECT
        table_number, synthesis,
        MAX(CASE WHEN CAST(orig_upto AS DOUBLE) / CAST(people AS DOUBLE) > CAST(syn_upto AS DOUBLE) / CAST(synthetic AS DOUBLE) THEN CAST(orig_upto AS DOUBLE) / CAST(people AS DOUBLE) - CAST(syn_upto AS DOUBLE) / CAST(synthetic AS DOUBLE) ELSE CAST(syn_upto AS DOUBLE) / CAST(synthetic AS DOUBLE) - CAST(orig_upto AS DOUBLE) / CAST(people AS DOUBLE) END) AS value
    FROM scored_counts
    GROUP BY table_number, synthesis
) AS of_measure_11
UNION ALL
SELECT 'U' AS measure, table_number, synthesis, value
FROM (
    SELECT table_number, synthesis, CAST(SUM(n_cells * n_syn * (orig_below + orig_upto)) AS DOUBLE) / CAST(2 AS DOUBLE) AS value
    FROM scored_counts
    GROUP BY table_number, synthesis
) AS of_measure_12
UNION ALL
SELECT 'PO50' AS measure, table_number, synthesis, value
FROM (
    SELECT
        table_number, synthesis,
        100 * CAST(SUM(n_cells * CASE WHEN n_syn * people > n_orig * synthetic THEN n_syn ELSE n_orig END) AS DOUBLE) / CAST(SUM(n_cells * (n_orig + n_syn)) AS DOUBLE) - 50 AS value
    FROM scored_counts
    GROUP BY table_number, synthesis
) AS of_measure_13
UNION ALL
SELECT 'MabsDD' AS measure, table_number, synthesis, value
FROM (
    SELECT table_number, synthesis, SUM(n_cells * CASE WHEN share_syn > share_orig THEN share_syn - share_orig ELSE share_orig - share_syn END) AS value
    FROM scored_counts
    GROUP BY table_number, synthesis
) AS of_measure_14
UNION ALL
SELECT 'TVD' AS measure, table_number, synthesis, value
FROM (
    SELECT table_number, synthesis, CAST(SUM(n_cells * CASE WHEN share_syn > share_orig THEN share_syn - share_orig ELSE share_orig - share_syn END) AS DOUBLE) / CAST(2 AS DOUBLE) AS value
    FROM scored_counts
    GROUP BY table_number, synthesis
) AS of_measure_15
UNION ALL
SELECT 'ContingencySimilarity' AS measure, table_number, synthesis, value
FROM (
    SELECT table_number, synthesis, 1 - CAST(SUM(n_cells * CASE WHEN share_syn > share_orig THEN share_syn - share_orig ELSE share_orig - share_syn END) AS DOUBLE) / CAST(2 AS DOUBLE) AS value
    FROM scored_counts
    GROUP BY table_number, synthesis
) AS of_measure_16
UNION ALL
SELECT 'WMabsDD' AS measure, table_number, synthesis, value
FROM (
    SELECT table_number, synthesis, CAST(SUM(CAST(n_cells * CASE WHEN n_syn > expected THEN n_syn - expected ELSE expected - n_syn END AS DOUBLE) / CAST(SQRT((n_orig + n_syn) * share_all) AS DOUBLE)) AS DOUBLE) / CAST(0.7978845608028654 AS DOUBLE) AS value
    FROM scored_counts
    GROUP BY table_number, synthesis
) AS of_measure_17
UNION ALL
SELECT 'S_WMabsDD' AS measure, table_number, synthesis, value
FROM (
    SELECT table_number, synthesis, CAST(CAST(SUM(CAST(n_cells * CASE WHEN n_syn > expected THEN n_syn - expected ELSE expected - n_syn END AS DOUBLE) / CAST(SQRT((n_orig + n_syn) * share_all) AS DOUBLE)) AS DOUBLE) / CAST(0.7978845608028654 AS DOUBLE) AS DOUBLE) / NULLIF(CAST(SUM(n_cells) - 1 AS DOUBLE), 0) AS value
    FROM scored_counts
    GROUP BY table_number, synthesis
) AS of_measure_18
UNION ALL
SELECT 'dBhatt' AS measure, table_number, synthesis, value
FROM (
    SELECT
        table_number, synthesis,
        SQRT(CAST(SUM(n_cells * (SQRT(share_orig) - SQRT(share_syn)) * (SQRT(share_orig) - SQRT(share_syn))) AS DOUBLE) / CAST(2 AS DOUBLE)) AS value
    FROM scored_counts
    GROUP BY table_number, synthesis
) AS of_measure_19;

INSERT INTO utility_results
SELECT measure, table_number, CAST(3 AS INTEGER) AS synthesis, AVG(value_of_one) AS value
FROM (
    SELECT measure, table_number, value AS value_of_one
    FROM utility_results
    WHERE synthesis IN (1, 2)
) AS of_method
GROUP BY measure, table_number;

-- Each table has the same weight. Tables without a value are left out.
SELECT measure, synthesis, ways, AVG(value) AS mean, MIN(value) AS least, MAX(value) AS most
FROM utility_results AS results
JOIN utility_tables AS tables ON results.table_number = tables.number
GROUP BY measure, synthesis, ways;

SELECT measure, synthesis, ways, column_number, AVG(value) AS mean
FROM utility_results AS results
JOIN utility_columns AS of_table ON results.table_number = of_table.number
GROUP BY measure, synthesis, ways, column_number;

SELECT
    1 AS column_number, 0 AS file_number, n_missing,
    CAST(100 * n_missing AS DOUBLE) / CAST(n_all AS DOUBLE) AS percent
FROM (
    SELECT
        CAST(SUM(CASE WHEN code = 0 THEN n_orig ELSE 0 END) AS BIGINT) AS n_missing,
        CAST(SUM(n_orig) AS BIGINT) AS n_all
    FROM levels_k1
) AS level_sums_1_0
UNION ALL
SELECT
    1 AS column_number, 1 AS file_number, n_missing,
    CAST(100 * n_missing AS DOUBLE) / CAST(n_all AS DOUBLE) AS percent
FROM (
    SELECT
        CAST(SUM(CASE WHEN code = 0 THEN n_syn_1 ELSE 0 END) AS BIGINT) AS n_missing,
        CAST(SUM(n_syn_1) AS BIGINT) AS n_all
    FROM levels_k1
) AS level_sums_1_1
UNION ALL
SELECT
    1 AS column_number, 2 AS file_number, n_missing,
    CAST(100 * n_missing AS DOUBLE) / CAST(n_all AS DOUBLE) AS percent
FROM (
    SELECT
        CAST(SUM(CASE WHEN code = 0 THEN n_syn_2 ELSE 0 END) AS BIGINT) AS n_missing,
        CAST(SUM(n_syn_2) AS BIGINT) AS n_all
    FROM levels_k1
) AS level_sums_1_2
UNION ALL
SELECT
    2 AS column_number, 0 AS file_number, n_missing,
    CAST(100 * n_missing AS DOUBLE) / CAST(n_all AS DOUBLE) AS percent
FROM (
    SELECT
        CAST(SUM(CASE WHEN code = 0 THEN n_orig ELSE 0 END) AS BIGINT) AS n_missing,
        CAST(SUM(n_orig) AS BIGINT) AS n_all
    FROM levels_k2
) AS level_sums_2_0
UNION ALL
SELECT
    2 AS column_number, 1 AS file_number, n_missing,
    CAST(100 * n_missing AS DOUBLE) / CAST(n_all AS DOUBLE) AS percent
FROM (
    SELECT
        CAST(SUM(CASE WHEN code = 0 THEN n_syn_1 ELSE 0 END) AS BIGINT) AS n_missing,
        CAST(SUM(n_syn_1) AS BIGINT) AS n_all
    FROM levels_k2
) AS level_sums_2_1
UNION ALL
SELECT
    2 AS column_number, 2 AS file_number, n_missing,
    CAST(100 * n_missing AS DOUBLE) / CAST(n_all AS DOUBLE) AS percent
FROM (
    SELECT
        CAST(SUM(CASE WHEN code = 0 THEN n_syn_2 ELSE 0 END) AS BIGINT) AS n_missing,
        CAST(SUM(n_syn_2) AS BIGINT) AS n_all
    FROM levels_k2
) AS level_sums_2_2;
