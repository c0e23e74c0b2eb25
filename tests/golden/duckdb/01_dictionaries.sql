-- Each column's levels get numbers, records of files and levels are counted.
-- Written by sqlrisk for DuckDB (run in the tests of sqlrisk).

SET TimeZone = 'UTC';

-- one row per value of one column, with its code in the order of the column's categories, else by sorted value, 0 is the
-- missing level
CREATE TABLE work.sqlrisk_levels_k1 AS
SELECT
  value,
  CASE
    WHEN value IS NULL
    THEN 0
    ELSE CAST(ROW_NUMBER() OVER (ORDER BY CASE WHEN value IS NULL THEN 1 ELSE 0 END, value) AS INT)
  END AS code,
  n_orig,
  n_syn_1
FROM (
  SELECT
    value,
    CAST(SUM(CASE WHEN file = 0 THEN n ELSE 0 END) AS BIGINT) AS n_orig,
    CAST(SUM(CASE WHEN file = 1 THEN n ELSE 0 END) AS BIGINT) AS n_syn_1
  FROM (
    SELECT
      value,
      0 AS file,
      COUNT(*) AS n
    FROM (
      SELECT
        "my ""key""" AS value
      FROM shop.people AS source_0
    ) AS source_0
    GROUP BY
      value
    UNION ALL
    SELECT
      value,
      1 AS file,
      COUNT(*) AS n
    FROM (
      SELECT
        "my ""key""" AS value
      FROM shop.synthetic AS source_1
    ) AS source_1
    GROUP BY
      value
  ) AS per_file
  GROUP BY
    value
) AS counted;

-- one row per distinct value of one column over all files, NULL (and NaN) is a value
CREATE TABLE work.sqlrisk_values_k2 AS
SELECT
  value,
  CAST(SUM(CASE WHEN file = 0 THEN n ELSE 0 END) AS BIGINT) AS n_orig,
  CAST(SUM(CASE WHEN file = 1 THEN n ELSE 0 END) AS BIGINT) AS n_syn_1
FROM (
  SELECT
    value,
    0 AS file,
    COUNT(*) AS n
  FROM (
    SELECT
      CASE
        WHEN ISNAN(CASE WHEN "age" IS NULL THEN NULL ELSE "age" END)
        THEN NULL
        ELSE CAST("age" AS DOUBLE)
      END AS value
    FROM shop.people AS source_0
  ) AS source_0
  GROUP BY
    value
  UNION ALL
  SELECT
    value,
    1 AS file,
    COUNT(*) AS n
  FROM (
    SELECT
      CASE
        WHEN ISNAN(CASE WHEN "age" IS NULL THEN NULL ELSE "age" END)
        THEN NULL
        ELSE CAST("age" AS DOUBLE)
      END AS value
    FROM shop.synthetic AS source_1
  ) AS source_1
  GROUP BY
    value
) AS per_file
GROUP BY
  value;

-- one row per bin of one binned column, with its number, low end, high end, whether it includes the high end, and whether
-- the bins have equal widths
CREATE TABLE work.sqlrisk_breaks_k2 AS
WITH ranked AS (
  SELECT
    x,
    upto - n AS records_below,
    upto AS records_upto,
    MAX(upto) OVER () - 1 AS last_position,
    COUNT(*) OVER () AS distinct_values,
    MIN(CASE WHEN x - x = 0 THEN x END) OVER () AS smallest,
    MAX(CASE WHEN x - x = 0 THEN x END) OVER () AS largest
  FROM (
    SELECT
      x,
      n,
      CAST(SUM(n) OVER (ORDER BY x ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS BIGINT) AS upto
    FROM (
      SELECT
        CAST(value AS DOUBLE) AS x,
        n_orig + n_syn_1 AS n
      FROM work.sqlrisk_values_k2 AS values_k2
      WHERE
        NOT CAST(value AS DOUBLE) IS NULL AND value <> CAST('-8' AS DOUBLE)
    ) AS numbers
    WHERE
      n > 0
  ) AS cumulated
), bounds AS (
  SELECT
    k,
    CASE
      WHEN below.x = above.x
      THEN below.x
      WHEN (
        1 - share
      ) * below.x + share * above.x <= below.x
      THEN above.x
      WHEN (
        1 - share
      ) * below.x + share * above.x > above.x
      THEN above.x
      ELSE (
        1 - share
      ) * below.x + share * above.x
    END AS quantile,
    CAST(below.smallest * (
      3 - k
    ) + below.largest * k AS DOUBLE) / CAST(3 AS DOUBLE) AS equal_width,
    below.distinct_values AS distinct_values
  FROM (
    SELECT
      k,
      last_position * k AS scaled,
      CAST((
        last_position * k
      ) % 3 AS DOUBLE) / CAST(3 AS DOUBLE) AS share
    FROM (
      SELECT DISTINCT
        last_position
      FROM ranked
    ) AS counted
    CROSS JOIN (
      SELECT
        0 AS k
      UNION ALL
      SELECT
        1 AS k
      UNION ALL
      SELECT
        2 AS k
      UNION ALL
      SELECT
        3 AS k
    ) AS ks
  ) AS positions
  JOIN ranked AS below
    ON below.records_below * 3 <= scaled AND scaled < below.records_upto * 3
  JOIN ranked AS above
    ON (
      above.records_below - 1
    ) * 3 < scaled
    AND scaled <= (
      above.records_upto - 1
    ) * 3
), ties AS (
  SELECT
    COUNT(DISTINCT quantile) AS distinct_quantiles
  FROM bounds
), by_quantile AS (
  SELECT
    low,
    LEAD(low) OVER (ORDER BY low) AS high,
    COUNT(*) OVER () - 1 + 1 AS n_groups
  FROM (
    SELECT DISTINCT
      quantile AS low
    FROM bounds
    WHERE
      distinct_values > 3
  ) AS quantiles
), equally_wide AS (
  SELECT
    equal_width AS low,
    LEAD(equal_width) OVER (ORDER BY k) AS high,
    distinct_quantiles - 1 + 1 AS n_groups
  FROM bounds
  CROSS JOIN ties
  WHERE
    distinct_values > 3
), bins AS (
  SELECT
    x AS low,
    x AS high,
    0 AS equal_width
  FROM ranked
  WHERE
    distinct_values <= 3
  UNION ALL
  SELECT
    low,
    high,
    0 AS equal_width
  FROM by_quantile
  WHERE
    NOT high IS NULL AND n_groups >= 3
  UNION ALL
  SELECT
    low,
    high,
    1 AS equal_width
  FROM equally_wide
  WHERE
    NOT high IS NULL AND n_groups < 3
)
SELECT
  CAST(ROW_NUMBER() OVER (ORDER BY low) AS INT) AS bin,
  low,
  high,
  CASE WHEN low = high OR low = MAX(low) OVER () THEN 1 ELSE 0 END AS closed,
  equal_width
FROM bins;

-- one row per value of one binned column, with its code: the number of its bin from low to high, 0 is the missing level
CREATE TABLE work.sqlrisk_levels_k2 AS
SELECT
  coded.value AS value,
  CASE
    WHEN coded.value = CAST('-8' AS DOUBLE)
    THEN bins + 1
    WHEN coded.x IS NULL
    THEN 0
    WHEN coded.breaks_upto < 1
    THEN 1
    ELSE coded.breaks_upto
  END AS code,
  breaks.low AS low,
  breaks.high AS high,
  breaks.closed AS closed,
  coded.n_orig AS n_orig,
  coded.n_syn_1 AS n_syn_1
FROM (
  SELECT
    value,
    x,
    is_value,
    n_orig,
    n_syn_1,
    CAST(SUM(1 - is_value) OVER (ORDER BY x, is_value ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS INT) AS breaks_upto,
    CAST(SUM(1 - is_value) OVER () AS INT) AS bins
  FROM (
    SELECT
      value,
      CAST(value AS DOUBLE) AS x,
      1 AS is_value,
      n_orig,
      n_syn_1
    FROM work.sqlrisk_values_k2 AS values_k2
    UNION ALL
    SELECT
      CAST(NULL AS DOUBLE) AS value,
      low AS x,
      0 AS is_value,
      0 AS n_orig,
      0 AS n_syn_1
    FROM work.sqlrisk_breaks_k2 AS breaks_k2
  ) AS merged
) AS coded
LEFT JOIN work.sqlrisk_breaks_k2 AS breaks
  ON breaks.bin = CASE
    WHEN coded.x IS NULL OR coded.value = CAST('-8' AS DOUBLE)
    THEN 0
    WHEN coded.breaks_upto < 1
    THEN 1
    ELSE coded.breaks_upto
  END
WHERE
  coded.is_value = 1;

-- one row per value of one column, with its code in the order of the column's categories, else by sorted value, 0 is the
-- missing level
CREATE TABLE work.sqlrisk_levels_t1 AS
SELECT
  value,
  CASE
    WHEN value IS NULL
    THEN 0
    ELSE CAST(ROW_NUMBER() OVER (ORDER BY CASE WHEN value IS NULL THEN 1 ELSE 0 END, value) AS INT)
  END AS code,
  n_orig,
  n_syn_1
FROM (
  SELECT
    value,
    CAST(SUM(CASE WHEN file = 0 THEN n ELSE 0 END) AS BIGINT) AS n_orig,
    CAST(SUM(CASE WHEN file = 1 THEN n ELSE 0 END) AS BIGINT) AS n_syn_1
  FROM (
    SELECT
      value,
      0 AS file,
      COUNT(*) AS n
    FROM (
      SELECT
        "ill" AS value
      FROM shop.people AS source_0
    ) AS source_0
    GROUP BY
      value
    UNION ALL
    SELECT
      value,
      1 AS file,
      COUNT(*) AS n
    FROM (
      SELECT
        "ill" AS value
      FROM shop.synthetic AS source_1
    ) AS source_1
    GROUP BY
      value
  ) AS per_file
  GROUP BY
    value
) AS counted;

-- one row per value of one column, with its code in the order of the column's categories, else by sorted value, 0 is the
-- missing level
CREATE TABLE work.sqlrisk_levels_t2 AS
SELECT
  value,
  CASE
    WHEN value IS NULL
    THEN 0
    ELSE CAST(ROW_NUMBER() OVER (ORDER BY CASE WHEN value IS NULL THEN 1 ELSE 0 END, value) AS INT)
  END AS code,
  n_orig,
  n_syn_1
FROM (
  SELECT
    value,
    CAST(SUM(CASE WHEN file = 0 THEN n ELSE 0 END) AS BIGINT) AS n_orig,
    CAST(SUM(CASE WHEN file = 1 THEN n ELSE 0 END) AS BIGINT) AS n_syn_1
  FROM (
    SELECT
      value,
      0 AS file,
      COUNT(*) AS n
    FROM (
      SELECT
        "income" AS value
      FROM shop.people AS source_0
    ) AS source_0
    GROUP BY
      value
    UNION ALL
    SELECT
      value,
      1 AS file,
      COUNT(*) AS n
    FROM (
      SELECT
        "income" AS value
      FROM shop.synthetic AS source_1
    ) AS source_1
    GROUP BY
      value
  ) AS per_file
  GROUP BY
    value
) AS counted;

-- one row with the number of records of each file
CREATE TABLE work.sqlrisk_files AS
SELECT
  CAST(SUM(records_0) AS BIGINT) AS n_orig,
  CAST(SUM(records_1) AS BIGINT) AS n_syn_1
FROM (
  SELECT
    n_orig AS records_0,
    n_syn_1 AS records_1
  FROM work.sqlrisk_levels_k1 AS levels_k1
) AS levels;

-- one row per level of a target, with its records in each file and whether the user excludes it
CREATE TABLE work.sqlrisk_marginals_t1 AS
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
    CASE
      WHEN levels.value = 'it''s'
      OR levels.value = 'a\b'
      OR levels.value = 'trailing\'
      OR levels.value = 'two' || CHR(10) || 'lines'
      OR levels.value = 'naïve – Zürich'
      OR levels.value = '{{ x }}'
      THEN 1
      ELSE 0
    END AS is_excluded
  FROM work.sqlrisk_levels_t1 AS levels
  CROSS JOIN work.sqlrisk_files AS files
) AS seen
GROUP BY
  level_code,
  n_orig_all,
  n_syn_all_1;

-- one row per level of a target, with its records in each file and whether the user excludes it
CREATE TABLE work.sqlrisk_marginals_t2 AS
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
  FROM work.sqlrisk_levels_t2 AS levels
  CROSS JOIN work.sqlrisk_files AS files
) AS seen
GROUP BY
  level_code,
  n_orig_all,
  n_syn_all_1;

-- one row per level of a numeric target, with its number, its tolerance, and the original's records up to it
CREATE TABLE work.sqlrisk_numbers_t2 AS
SELECT
  level_code,
  number,
  reach,
  n_orig,
  CAST(SUM(CASE WHEN number IS NULL THEN 0 ELSE n_orig END) OVER (ORDER BY level_code ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS BIGINT) AS upto_orig
FROM (
  SELECT
    code AS level_code,
    CASE WHEN NOT value IS NULL THEN CAST(value AS DECIMAL(38, 4)) END AS number,
    CASE
      WHEN NOT value IS NULL
      THEN CASE
        WHEN CAST(CASE
          WHEN CAST(value AS DECIMAL(38, 2)) < 0
          THEN -CAST(value AS DECIMAL(38, 2))
          ELSE CAST(value AS DECIMAL(38, 2))
        END * 0.05 AS DECIMAL(38, 4)) < CAST(0.5 AS DECIMAL(38, 4))
        THEN CAST(0.5 AS DECIMAL(38, 4))
        ELSE CAST(CASE
          WHEN CAST(value AS DECIMAL(38, 2)) < 0
          THEN -CAST(value AS DECIMAL(38, 2))
          ELSE CAST(value AS DECIMAL(38, 2))
        END * 0.05 AS DECIMAL(38, 4))
      END
    END AS reach,
    n_orig
  FROM work.sqlrisk_levels_t2 AS levels
) AS numbered;

-- one row per level of a numeric target, with the range of codes of the levels within its tolerance, and the original's
-- records there
CREATE TABLE work.sqlrisk_tolerance_intervals_t2 AS
WITH merged AS (
  SELECT
    number AS x,
    1 AS turn,
    level_code AS code,
    level_code AS own_code
  FROM work.sqlrisk_numbers_t2 AS numbers
  WHERE
    NOT number IS NULL
  UNION ALL
  SELECT
    number - reach AS x,
    0 AS turn,
    CAST(NULL AS INT) AS code,
    level_code AS own_code
  FROM work.sqlrisk_numbers_t2 AS numbers
  WHERE
    NOT number IS NULL
  UNION ALL
  SELECT
    number + reach AS x,
    2 AS turn,
    CAST(NULL AS INT) AS code,
    level_code AS own_code
  FROM work.sqlrisk_numbers_t2 AS numbers
  WHERE
    NOT number IS NULL
), codes AS (
  SELECT
    own_code,
    turn,
    COALESCE(
      MAX(code) OVER (ORDER BY x, turn ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW),
      0
    ) AS code_upto
  FROM merged
)
SELECT
  numbers.level_code AS level_code,
  numbers.number AS number,
  numbers.reach AS reach,
  own.below_code AS below_code,
  own.upto_code AS upto_code,
  CASE
    WHEN numbers.number IS NULL
    THEN numbers.n_orig
    ELSE above.upto_orig - COALESCE(under.upto_orig, 0)
  END AS n_level_within
FROM work.sqlrisk_numbers_t2 AS numbers
LEFT JOIN (
  SELECT
    own_code,
    MAX(CASE WHEN turn = 0 THEN code_upto END) AS below_code,
    MAX(CASE WHEN turn = 2 THEN code_upto END) AS upto_code
  FROM codes
  WHERE
    turn <> 1
  GROUP BY
    own_code
) AS own
  ON numbers.level_code = own.own_code
LEFT JOIN work.sqlrisk_numbers_t2 AS under
  ON own.below_code = under.level_code
LEFT JOIN work.sqlrisk_numbers_t2 AS above
  ON own.upto_code = above.level_code;
