-- Views of the cells with your names and levels, risky_* of those that make a measure: disclosive, not for others.
-- Written by sqlrisk for DuckDB (run in the tests of sqlrisk).

SET TimeZone = 'UTC';

-- one row per synthesis and cell of each target (or class): its levels as a person reads them, and the counts that
-- measures read
CREATE VIEW work.sqlrisk_named_classes AS
SELECT
  '1' AS synthesis,
  k1.value AS "my ""key""",
  k2.value AS "age",
  k2.low AS "age_from",
  k2.high AS "age_to",
  k2.closed AS "age_closed",
  compared.n_orig AS n_orig,
  compared.n_syn AS n_syn,
  compared.people AS people,
  compared.synthetic AS synthetic,
  compared.counted_orig AS counted_orig,
  compared.counted_syn AS counted_syn
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
) AS compared
JOIN (
  SELECT
    code,
    value,
    CAST(NULL AS DOUBLE) AS low,
    CAST(NULL AS DOUBLE) AS high,
    CAST(NULL AS INT) AS closed
  FROM work.sqlrisk_levels_k1 AS levels
) AS k1
  ON compared.class_key = k1.code
JOIN (
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
  ON compared.class_key_2 = k2.code;

-- one row per synthesis and cell (or class) that makes a measure, with its levels as a person reads them
CREATE VIEW work.sqlrisk_risky_uio AS
SELECT
  synthesis,
  "my ""key""",
  "age",
  "age_from",
  "age_to",
  "age_closed",
  n_orig,
  n_syn
FROM work.sqlrisk_named_classes AS cells
WHERE
  (
    (
      n_orig = 1
    )
  ) AND counted_orig > 0;
