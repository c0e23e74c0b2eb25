-- For each measure, the 20 risky cells with the most people. Disclosive: do not share.
-- Written by sqlrisk for DuckDB (run in the tests of sqlrisk).

SET TimeZone = 'UTC';

-- one row per risky cell (or class) of one comparison, with the rarest levels or the most people first and the missing
-- level last
CREATE TABLE work.sqlrisk_risky_classes_uio AS
SELECT
  1 AS comparison,
  class_key,
  class_key_2,
  n_orig,
  n_syn
FROM (
  SELECT
    class_key,
    class_key_2,
    n_own AS n_orig,
    n_syn,
    n_own AS people,
    n_syn AS synthetic,
    CASE WHEN class_key = 0 THEN 0 ELSE n_own END AS counted_orig,
    CASE WHEN class_key = 0 THEN 0 ELSE n_syn END AS counted_syn
  FROM (
    SELECT
      class_key,
      class_key_2,
      n_orig AS n_own,
      n_syn_1 AS n_syn
    FROM work.sqlrisk_classes AS classes
  ) AS seen
) AS classes
WHERE
  (
    (
      n_orig = 1
    )
  ) AND counted_orig > 0
ORDER BY
  counted_orig DESC,
  class_key,
  class_key_2,
  n_orig,
  n_syn
LIMIT 20;

SELECT
  k1.value AS k1_value,
  k1.low AS k1_low,
  k1.high AS k1_high,
  k1.closed AS k1_closed,
  k2.value AS k2_value,
  k2.low AS k2_low,
  k2.high AS k2_high,
  k2.closed AS k2_closed,
  n_orig,
  n_syn
FROM work.sqlrisk_risky_classes_uio AS risky_cells
LEFT JOIN (
  SELECT
    code,
    value,
    CAST(NULL AS DOUBLE) AS low,
    CAST(NULL AS DOUBLE) AS high,
    CAST(NULL AS INT) AS closed
  FROM work.sqlrisk_levels_k1 AS levels
) AS k1
  ON k1.code = risky_cells.class_key
LEFT JOIN (
  SELECT
    code,
    MIN(plain_value) AS value,
    MIN(bin_low) AS low,
    MIN(bin_high) AS high,
    MIN(bin_closed) AS closed
  FROM (
    SELECT
      code,
      CASE WHEN low IS NULL THEN value END AS plain_value,
      low AS bin_low,
      high AS bin_high,
      closed AS bin_closed
    FROM work.sqlrisk_levels_k2 AS levels
  ) AS levels
  GROUP BY
    code
) AS k2
  ON k2.code = risky_cells.class_key_2
ORDER BY
  n_orig DESC,
  class_key,
  class_key_2;
