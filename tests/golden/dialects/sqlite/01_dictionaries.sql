-- Each column's levels get numbers; records of files and levels are counted.
-- Written by sqlrisk for SQLite (run in the tests of sqlrisk).

CREATE TABLE work.sqlrisk_levels_k1 AS
SELECT
  value,
  CASE
    WHEN value IS NULL
    THEN 0
    ELSE CAST(ROW_NUMBER() OVER (ORDER BY CASE WHEN value IS NULL THEN 1 ELSE 0 END NULLS LAST, value NULLS LAST) AS INTEGER)
  END AS code,
  n_orig,
  n_syn_1
FROM (
  SELECT
    value,
    CAST(SUM(CASE WHEN file = 0 THEN n ELSE 0 END) AS INTEGER) AS n_orig,
    CAST(SUM(CASE WHEN file = 1 THEN n ELSE 0 END) AS INTEGER) AS n_syn_1
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

CREATE TABLE work.sqlrisk_values_k2 AS
SELECT
  value,
  CAST(SUM(CASE WHEN file = 0 THEN n ELSE 0 END) AS INTEGER) AS n_orig,
  CAST(SUM(CASE WHEN file = 1 THEN n ELSE 0 END) AS INTEGER) AS n_syn_1
FROM (
  SELECT
    value,
    0 AS file,
    COUNT(*) AS n
  FROM (
    SELECT
      CASE WHEN 1 = 0 THEN NULL ELSE CAST("age" AS REAL) END AS value
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
      CASE WHEN 1 = 0 THEN NULL ELSE CAST("age" AS REAL) END AS value
    FROM shop.synthetic AS source_1
  ) AS source_1
  GROUP BY
    value
) AS per_file
GROUP BY
  value;

CREATE TABLE work.sqlrisk_breaks_k2 AS
WITH ranked AS (
  SELECT
    x,
    upto - n AS records_below,
    upto AS records_upto,
    MAX(upto) OVER () - 1 AS last_position,
    COUNT(*) OVER () AS distinct_values,
    MIN(x) OVER () AS smallest,
    MAX(x) OVER () AS largest
  FROM (
    SELECT
      x,
      n,
      CAST(SUM(n) OVER (ORDER BY x NULLS LAST ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS INTEGER) AS upto
    FROM (
      SELECT
        CAST(value AS REAL) AS x,
        n_orig + n_syn_1 AS n
      FROM work.sqlrisk_values_k2 AS values_k2
      WHERE
        NOT value IS NULL AND value <> CAST('-8' AS REAL)
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
    ) + below.largest * k AS REAL) / CAST(3 AS REAL) AS equal_width,
    below.distinct_values AS distinct_values
  FROM (
    SELECT
      k,
      last_position * k AS scaled,
      CAST((
        last_position * k
      ) % 3 AS REAL) / CAST(3 AS REAL) AS share
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
)
SELECT
  CAST(ROW_NUMBER() OVER (ORDER BY low NULLS LAST) AS INTEGER) AS bin,
  low,
  high,
  CASE WHEN low = high OR low = MAX(low) OVER () THEN 1 ELSE 0 END AS closed
FROM (
  SELECT
    x AS low,
    x AS high
  FROM ranked
  WHERE
    distinct_values <= 3
  UNION ALL
  SELECT
    low,
    high
  FROM (
    SELECT
      low,
      LEAD(low) OVER (ORDER BY low NULLS LAST) AS high,
      COUNT(*) OVER () - 1 + 1 AS n_groups
    FROM (
      SELECT DISTINCT
        quantile AS low
      FROM bounds
      WHERE
        distinct_values > 3
    ) AS quantiles
  ) AS intervals
  WHERE
    NOT high IS NULL AND n_groups >= 3
  UNION ALL
  SELECT
    low,
    high
  FROM (
    SELECT
      equal_width AS low,
      LEAD(equal_width) OVER (ORDER BY k NULLS LAST) AS high,
      distinct_quantiles - 1 + 1 AS n_groups
    FROM bounds
    CROSS JOIN (
      SELECT
        COUNT(DISTINCT quantile) AS distinct_quantiles
      FROM bounds
    ) AS ties
    WHERE
      distinct_values > 3
  ) AS widths
  WHERE
    NOT high IS NULL AND n_groups < 3
) AS bins;

CREATE TABLE work.sqlrisk_levels_k2 AS
SELECT
  coded.value AS value,
  CASE
    WHEN coded.value IS NULL
    THEN 0
    WHEN coded.value = CAST('-8' AS REAL)
    THEN bins + 1
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
    is_value,
    n_orig,
    n_syn_1,
    CAST(SUM(1 - is_value) OVER (
      ORDER BY x NULLS LAST, is_value NULLS LAST
      ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
    ) AS INTEGER) AS breaks_upto,
    CAST(SUM(1 - is_value) OVER () AS INTEGER) AS bins
  FROM (
    SELECT
      value,
      CAST(value AS REAL) AS x,
      1 AS is_value,
      n_orig,
      n_syn_1
    FROM work.sqlrisk_values_k2 AS values_k2
    UNION ALL
    SELECT
      CAST(NULL AS REAL) AS value,
      low AS x,
      0 AS is_value,
      0 AS n_orig,
      0 AS n_syn_1
    FROM work.sqlrisk_breaks_k2 AS breaks_k2
  ) AS merged
) AS coded
LEFT JOIN work.sqlrisk_breaks_k2 AS breaks
  ON breaks.bin = CASE
    WHEN coded.value IS NULL OR coded.value = CAST('-8' AS REAL)
    THEN 0
    WHEN coded.breaks_upto < 1
    THEN 1
    ELSE coded.breaks_upto
  END
WHERE
  coded.is_value = 1;

CREATE TABLE work.sqlrisk_levels_t1 AS
SELECT
  value,
  CASE
    WHEN value IS NULL
    THEN 0
    ELSE CAST(ROW_NUMBER() OVER (ORDER BY CASE WHEN value IS NULL THEN 1 ELSE 0 END NULLS LAST, value NULLS LAST) AS INTEGER)
  END AS code,
  n_orig,
  n_syn_1
FROM (
  SELECT
    value,
    CAST(SUM(CASE WHEN file = 0 THEN n ELSE 0 END) AS INTEGER) AS n_orig,
    CAST(SUM(CASE WHEN file = 1 THEN n ELSE 0 END) AS INTEGER) AS n_syn_1
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

CREATE TABLE work.sqlrisk_levels_t2 AS
SELECT
  value,
  CASE
    WHEN value IS NULL
    THEN 0
    ELSE CAST(ROW_NUMBER() OVER (ORDER BY CASE WHEN value IS NULL THEN 1 ELSE 0 END NULLS LAST, value NULLS LAST) AS INTEGER)
  END AS code,
  n_orig,
  n_syn_1
FROM (
  SELECT
    value,
    CAST(SUM(CASE WHEN file = 0 THEN n ELSE 0 END) AS INTEGER) AS n_orig,
    CAST(SUM(CASE WHEN file = 1 THEN n ELSE 0 END) AS INTEGER) AS n_syn_1
  FROM (
    SELECT
      value,
      0 AS file,
      COUNT(*) AS n
    FROM (
      SELECT
        CASE WHEN 1 = 0 THEN NULL ELSE CAST("income" AS REAL) END AS value
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
        CASE WHEN 1 = 0 THEN NULL ELSE CAST("income" AS REAL) END AS value
      FROM shop.synthetic AS source_1
    ) AS source_1
    GROUP BY
      value
  ) AS per_file
  GROUP BY
    value
) AS counted;

CREATE TABLE work.sqlrisk_files AS
SELECT
  CAST(SUM(records_0) AS INTEGER) AS n_orig,
  CAST(SUM(records_1) AS INTEGER) AS n_syn_1
FROM (
  SELECT
    n_orig AS records_0,
    n_syn_1 AS records_1
  FROM work.sqlrisk_levels_k1 AS levels_k1
) AS levels;

CREATE TABLE work.sqlrisk_marginals_t1 AS
SELECT
  level_code,
  CAST(SUM(records_0) AS INTEGER) AS n_orig,
  n_orig_all,
  CAST(SUM(records_1) AS INTEGER) AS n_syn_1,
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
      OR levels.value = 'two' || CHAR(10) || 'lines'
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

CREATE TABLE work.sqlrisk_marginals_t2 AS
SELECT
  level_code,
  CAST(SUM(records_0) AS INTEGER) AS n_orig,
  n_orig_all,
  CAST(SUM(records_1) AS INTEGER) AS n_syn_1,
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

CREATE TABLE work.sqlrisk_numbers_t2 AS
SELECT
  level_code,
  number,
  reach,
  n_orig,
  CAST(SUM(CASE WHEN number IS NULL THEN 0 ELSE n_orig END) OVER (ORDER BY level_code NULLS LAST ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS INTEGER) AS upto_orig
FROM (
  SELECT
    code AS level_code,
    CASE
      WHEN NOT value IS NULL
      AND CAST(value AS REAL) <= CAST('1e290' AS REAL)
      AND CAST(value AS REAL) >= CAST('-1e290' AS REAL)
      THEN CAST(value AS REAL)
    END AS number,
    CASE
      WHEN NOT value IS NULL
      AND CAST(value AS REAL) <= CAST('1e290' AS REAL)
      AND CAST(value AS REAL) >= CAST('-1e290' AS REAL)
      THEN CASE
        WHEN CASE
          WHEN CAST(value AS REAL) < 0
          THEN -CAST(value AS REAL)
          ELSE CAST(value AS REAL)
        END * CAST('0.05' AS REAL) < CAST('0.5' AS REAL)
        THEN CAST('0.5' AS REAL)
        ELSE CASE
          WHEN CAST(value AS REAL) < 0
          THEN -CAST(value AS REAL)
          ELSE CAST(value AS REAL)
        END * CAST('0.05' AS REAL)
      END
    END AS reach,
    n_orig
  FROM work.sqlrisk_levels_t2 AS levels
) AS numbered;

CREATE TABLE work.sqlrisk_reaches_t2 AS
WITH ends AS (
  SELECT
    level_code,
    number,
    reach,
    far_below,
    upto_far,
    CASE WHEN sure_below < level_code THEN sure_below ELSE level_code - 1 END AS near_below,
    CASE WHEN upto_sure > level_code THEN upto_sure ELSE level_code END AS upto_near
  FROM (
    SELECT
      own_code AS level_code,
      MAX(own_number) AS number,
      MAX(own_reach) AS reach,
      MAX(CASE WHEN place = 1 THEN code_upto END) AS far_below,
      MAX(CASE WHEN place = 2 THEN code_upto END) AS sure_below,
      MAX(CASE WHEN place = 3 THEN code_upto END) AS upto_sure,
      MAX(CASE WHEN place = 4 THEN code_upto END) AS upto_far
    FROM (
      SELECT
        own_code,
        own_number,
        own_reach,
        place,
        COALESCE(
          MAX(code) OVER (
            ORDER BY x NULLS LAST, turn NULLS LAST
            ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
          ),
          0
        ) AS code_upto
      FROM (
        SELECT
          number AS x,
          1 AS turn,
          0 AS place,
          level_code AS code,
          0 AS own_code,
          number AS own_number,
          reach AS own_reach
        FROM work.sqlrisk_numbers_t2 AS numbers
        WHERE
          NOT number IS NULL
        UNION ALL
        SELECT
          (
            number - reach
          ) - (
            CASE WHEN number < 0 THEN -number ELSE number END + reach
          ) * CAST('1e-15' AS REAL) AS x,
          0 AS turn,
          1 AS place,
          CAST(NULL AS INTEGER) AS code,
          level_code AS own_code,
          number AS own_number,
          reach AS own_reach
        FROM work.sqlrisk_numbers_t2 AS numbers
        WHERE
          NOT number IS NULL
        UNION ALL
        SELECT
          (
            number - reach
          ) + (
            CASE WHEN number < 0 THEN -number ELSE number END + reach
          ) * CAST('1e-15' AS REAL) AS x,
          0 AS turn,
          2 AS place,
          CAST(NULL AS INTEGER) AS code,
          level_code AS own_code,
          number AS own_number,
          reach AS own_reach
        FROM work.sqlrisk_numbers_t2 AS numbers
        WHERE
          NOT number IS NULL
        UNION ALL
        SELECT
          (
            number + reach
          ) - (
            CASE WHEN number < 0 THEN -number ELSE number END + reach
          ) * CAST('1e-15' AS REAL) AS x,
          2 AS turn,
          3 AS place,
          CAST(NULL AS INTEGER) AS code,
          level_code AS own_code,
          number AS own_number,
          reach AS own_reach
        FROM work.sqlrisk_numbers_t2 AS numbers
        WHERE
          NOT number IS NULL
        UNION ALL
        SELECT
          (
            number + reach
          ) + (
            CASE WHEN number < 0 THEN -number ELSE number END + reach
          ) * CAST('1e-15' AS REAL) AS x,
          2 AS turn,
          4 AS place,
          CAST(NULL AS INTEGER) AS code,
          level_code AS own_code,
          number AS own_number,
          reach AS own_reach
        FROM work.sqlrisk_numbers_t2 AS numbers
        WHERE
          NOT number IS NULL
      ) AS merged
    ) AS counted
    WHERE
      place > 0
    GROUP BY
      own_code
  ) AS found
), looked_at AS (
  SELECT
    doubtful.level_code AS level_code,
    other.level_code AS other_code,
    CASE
      WHEN doubtful.number - other.number <= doubtful.reach
      AND other.number - doubtful.number <= doubtful.reach
      THEN 1
      ELSE 0
    END AS hit
  FROM (
    SELECT
      level_code,
      number,
      reach,
      far_below AS code_before,
      near_below - far_below AS n_codes
    FROM ends
    WHERE
      far_below < near_below
    UNION ALL
    SELECT
      level_code,
      number,
      reach,
      upto_near AS code_before,
      upto_far - upto_near AS n_codes
    FROM ends
    WHERE
      upto_near < upto_far
  ) AS doubtful
  JOIN work.sqlrisk_numbers_t2 AS steps
    ON steps.level_code <= doubtful.n_codes
  JOIN work.sqlrisk_numbers_t2 AS other
    ON other.level_code = doubtful.code_before + steps.level_code
  WHERE
    steps.level_code > 0 AND NOT other.number IS NULL
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
    ELSE COALESCE(above.upto_orig, 0) - COALESCE(under.upto_orig, 0)
  END AS n_level_within
FROM work.sqlrisk_numbers_t2 AS numbers
LEFT JOIN (
  SELECT
    ends.level_code AS own_code,
    COALESCE(
      MAX(
        CASE
          WHEN looked_at.other_code < ends.level_code AND looked_at.hit = 0
          THEN looked_at.other_code
        END
      ),
      ends.far_below
    ) AS below_code,
    COALESCE(
      MAX(
        CASE
          WHEN looked_at.other_code > ends.level_code AND looked_at.hit = 1
          THEN looked_at.other_code
        END
      ),
      ends.upto_near
    ) AS upto_code
  FROM ends
  LEFT JOIN looked_at
    ON ends.level_code = looked_at.level_code
  GROUP BY
    ends.level_code,
    ends.far_below,
    ends.upto_near
) AS own
  ON numbers.level_code = own.own_code
LEFT JOIN work.sqlrisk_numbers_t2 AS under
  ON own.below_code = under.level_code
LEFT JOIN work.sqlrisk_numbers_t2 AS above
  ON own.upto_code = above.level_code;
