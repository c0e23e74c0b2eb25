-- The records as integers, then classes and cells: equal keys, and equal keys and target. No value is read again.
-- Written by sqlrisk for DuckDB (run in the tests of sqlrisk).

SET TimeZone = 'UTC';

-- one row per record of one file, with the file number, on request its own number, the class key and a level code per
-- target, integers except for weights and values of targets not yet encoded
CREATE TABLE work.sqlrisk_records AS
SELECT
  CAST(0 AS INT) AS file,
  CAST(COALESCE(k1.code, 0) AS BIGINT) AS class_key,
  CAST(COALESCE(k2.code, 0) AS BIGINT) AS class_key_2,
  COALESCE(t1.code, 0) AS t1,
  COALESCE(t2.code, 0) AS t2
FROM (
  SELECT
    "my ""key""" AS value_k1,
    CASE
      WHEN ISNAN(CASE WHEN "age" IS NULL THEN NULL ELSE "age" END)
      THEN NULL
      ELSE CAST("age" AS DOUBLE)
    END AS value_k2,
    "ill" AS value_t1,
    "income" AS value_t2
  FROM shop.people AS source_0
) AS source
LEFT JOIN work.sqlrisk_levels_k1 AS k1
  ON source.value_k1 = k1.value
LEFT JOIN work.sqlrisk_levels_k2 AS k2
  ON source.value_k2 = k2.value
LEFT JOIN work.sqlrisk_levels_t1 AS t1
  ON source.value_t1 = t1.value
LEFT JOIN work.sqlrisk_levels_t2 AS t2
  ON source.value_t2 = t2.value
UNION ALL
SELECT
  CAST(1 AS INT) AS file,
  CAST(COALESCE(k1.code, 0) AS BIGINT) AS class_key,
  CAST(COALESCE(k2.code, 0) AS BIGINT) AS class_key_2,
  COALESCE(t1.code, 0) AS t1,
  COALESCE(t2.code, 0) AS t2
FROM (
  SELECT
    "my ""key""" AS value_k1,
    CASE
      WHEN ISNAN(CASE WHEN "age" IS NULL THEN NULL ELSE "age" END)
      THEN NULL
      ELSE CAST("age" AS DOUBLE)
    END AS value_k2,
    "ill" AS value_t1,
    "income" AS value_t2
  FROM shop.synthetic AS source_1
) AS source
LEFT JOIN work.sqlrisk_levels_k1 AS k1
  ON source.value_k1 = k1.value
LEFT JOIN work.sqlrisk_levels_k2 AS k2
  ON source.value_k2 = k2.value
LEFT JOIN work.sqlrisk_levels_t1 AS t1
  ON source.value_t1 = t1.value
LEFT JOIN work.sqlrisk_levels_t2 AS t2
  ON source.value_t2 = t2.value;

-- one row per cell (a class and one level of the target), with the records of each file in the cell and in its class,
-- least_level is 1 in one cell of each class
CREATE TABLE work.sqlrisk_cells_t1 AS
SELECT
  class_key,
  class_key_2,
  level_code,
  CASE
    WHEN level_code = MIN(level_code) OVER (PARTITION BY class_key, class_key_2)
    THEN 1
    ELSE 0
  END AS least_level,
  CAST(SUM(n_orig) OVER (PARTITION BY class_key, class_key_2) AS BIGINT) AS n_orig_class,
  CAST(SUM(n_syn_1) OVER (PARTITION BY class_key, class_key_2) AS BIGINT) AS n_syn_class_1,
  n_orig,
  n_syn_1
FROM (
  SELECT
    class_key,
    class_key_2,
    t1 AS level_code,
    COUNT(CASE WHEN file = 0 THEN 1 END) AS n_orig,
    COUNT(CASE WHEN file = 1 THEN 1 END) AS n_syn_1
  FROM work.sqlrisk_records AS records
  GROUP BY
    class_key,
    class_key_2,
    t1
) AS counted;

-- one row per class, with the number of records of each file
CREATE TABLE work.sqlrisk_classes AS
SELECT
  class_key,
  class_key_2,
  n_orig_class AS n_orig,
  n_syn_class_1 AS n_syn_1
FROM work.sqlrisk_cells_t1 AS cells_t1
WHERE
  least_level = 1;

-- one row per cell (a class and one level of the target), with the records of each file in the cell and in its class,
-- least_level is 1 in one cell of each class
CREATE TABLE work.sqlrisk_cells_t2 AS
SELECT
  class_key,
  class_key_2,
  level_code,
  CASE
    WHEN level_code = MIN(level_code) OVER (PARTITION BY class_key, class_key_2)
    THEN 1
    ELSE 0
  END AS least_level,
  CAST(SUM(n_orig) OVER (PARTITION BY class_key, class_key_2) AS BIGINT) AS n_orig_class,
  CAST(SUM(n_syn_1) OVER (PARTITION BY class_key, class_key_2) AS BIGINT) AS n_syn_class_1,
  n_orig,
  n_syn_1
FROM (
  SELECT
    class_key,
    class_key_2,
    t2 AS level_code,
    COUNT(CASE WHEN file = 0 THEN 1 END) AS n_orig,
    COUNT(CASE WHEN file = 1 THEN 1 END) AS n_syn_1
  FROM work.sqlrisk_records AS records
  GROUP BY
    class_key,
    class_key_2,
    t2
) AS counted;

-- one row per cell of people that shares its class with other cells, with the records of each file in the class within the
-- tolerance of its level
CREATE TABLE work.sqlrisk_within_counts_t2 AS
SELECT
  class_key,
  class_key_2,
  level_code,
  CAST(SUM(CASE WHEN turn = 2 THEN upto_n_orig ELSE -upto_n_orig END) AS BIGINT) AS within_n_orig,
  CAST(SUM(CASE WHEN turn = 2 THEN upto_n_syn_1 ELSE -upto_n_syn_1 END) AS BIGINT) AS within_n_syn_1
FROM (
  SELECT
    class_key,
    class_key_2,
    level_code,
    turn,
    SUM(here_n_orig) OVER (
      PARTITION BY class_key, class_key_2
      ORDER BY code, turn
      ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
    ) AS upto_n_orig,
    SUM(here_n_syn_1) OVER (
      PARTITION BY class_key, class_key_2
      ORDER BY code, turn
      ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
    ) AS upto_n_syn_1
  FROM (
    SELECT
      cells.class_key AS class_key,
      cells.class_key_2 AS class_key_2,
      cells.level_code AS level_code,
      near.level_code AS code,
      0 AS turn,
      cells.n_orig AS here_n_orig,
      cells.n_syn_1 AS here_n_syn_1
    FROM work.sqlrisk_cells_t2 AS cells
    JOIN work.sqlrisk_tolerance_intervals_t2 AS near
      ON cells.level_code = near.level_code
    WHERE
      NOT near.number IS NULL
      AND cells.n_orig_class + cells.n_syn_class_1 > cells.n_orig + cells.n_syn_1
    UNION ALL
    SELECT
      cells.class_key AS class_key,
      cells.class_key_2 AS class_key_2,
      cells.level_code AS level_code,
      near.below_code AS code,
      1 AS turn,
      0 AS here_n_orig,
      0 AS here_n_syn_1
    FROM work.sqlrisk_cells_t2 AS cells
    JOIN work.sqlrisk_tolerance_intervals_t2 AS near
      ON cells.level_code = near.level_code
    WHERE
      NOT near.number IS NULL
      AND cells.n_orig_class + cells.n_syn_class_1 > cells.n_orig + cells.n_syn_1
      AND cells.n_orig > 0
    UNION ALL
    SELECT
      cells.class_key AS class_key,
      cells.class_key_2 AS class_key_2,
      cells.level_code AS level_code,
      near.upto_code AS code,
      2 AS turn,
      0 AS here_n_orig,
      0 AS here_n_syn_1
    FROM work.sqlrisk_cells_t2 AS cells
    JOIN work.sqlrisk_tolerance_intervals_t2 AS near
      ON cells.level_code = near.level_code
    WHERE
      NOT near.number IS NULL
      AND cells.n_orig_class + cells.n_syn_class_1 > cells.n_orig + cells.n_syn_1
      AND cells.n_orig > 0
  ) AS merged
) AS counted_upto
WHERE
  turn > 0
GROUP BY
  class_key,
  class_key_2,
  level_code;

-- one row per class with several levels, at least one of them a number, with the lowest and highest number among its
-- people, and among its synthetic records in every comparison
CREATE TABLE work.sqlrisk_class_ranges_t2 AS
SELECT
  cells.class_key AS class_key,
  cells.class_key_2 AS class_key_2,
  MIN(CASE WHEN cells.n_orig > 0 THEN tolerance_intervals.number END) AS low_n_orig,
  MAX(CASE WHEN cells.n_orig > 0 THEN tolerance_intervals.number END) AS high_n_orig,
  MIN(CASE WHEN cells.n_syn_1 > 0 THEN tolerance_intervals.number END) AS low_1,
  MAX(CASE WHEN cells.n_syn_1 > 0 THEN tolerance_intervals.number END) AS high_1
FROM work.sqlrisk_cells_t2 AS cells
JOIN work.sqlrisk_tolerance_intervals_t2 AS tolerance_intervals
  ON cells.level_code = tolerance_intervals.level_code
WHERE
  NOT tolerance_intervals.number IS NULL
  AND cells.n_orig_class + cells.n_syn_class_1 > cells.n_orig + cells.n_syn_1
GROUP BY
  cells.class_key,
  cells.class_key_2;
