-- The result rows, by name.
-- Written by sqlrisk for DuckDB (run in the tests of sqlrisk).

SET TimeZone = 'UTC';

-- one row per measure, point, target, comparison, population and weighting
CREATE TABLE work.sqlrisk_measured AS
SELECT
  measure,
  point,
  target,
  comparison,
  population,
  weighted,
  numerator,
  denominator,
  COALESCE(
    factor * plain,
    factor * CAST(numerator AS DOUBLE) / NULLIF(CAST(denominator AS DOUBLE), 0)
  ) AS value
FROM (
  SELECT
    'UiO' AS measure,
    CAST(NULL AS DOUBLE) AS point,
    target,
    comparison,
    population,
    0 AS weighted,
    CAST(SUM(uio_numerator) AS DOUBLE) AS numerator,
    CAST(SUM(uio_denominator) AS DOUBLE) AS denominator,
    CAST(NULL AS DOUBLE) AS plain,
    CAST(100 AS DOUBLE) AS factor
  FROM work.sqlrisk_class_parts AS class_parts
  GROUP BY
    target,
    comparison,
    population
  UNION ALL
  SELECT
    'excluded_identity' AS measure,
    CAST(NULL AS DOUBLE) AS point,
    target,
    comparison,
    population,
    0 AS weighted,
    CAST(SUM(excluded_identity_numerator) AS DOUBLE) AS numerator,
    CAST(SUM(excluded_identity_denominator) AS DOUBLE) AS denominator,
    CAST(NULL AS DOUBLE) AS plain,
    CAST(100 AS DOUBLE) AS factor
  FROM work.sqlrisk_class_parts AS class_parts
  GROUP BY
    target,
    comparison,
    population
  UNION ALL
  SELECT
    'baseCAPd_counted' AS measure,
    CAST(NULL AS DOUBLE) AS point,
    target,
    comparison,
    population,
    0 AS weighted,
    CAST(SUM(basecapd_counted_numerator) AS DOUBLE) AS numerator,
    CAST(SUM(basecapd_counted_denominator) AS DOUBLE) AS denominator,
    CAST(NULL AS DOUBLE) AS plain,
    CAST(100 AS DOUBLE) AS factor
  FROM work.sqlrisk_cell_parts AS cell_parts
  GROUP BY
    target,
    comparison,
    population
  UNION ALL
  SELECT
    'DCAP' AS measure,
    CAST(NULL AS DOUBLE) AS point,
    target,
    comparison,
    population,
    0 AS weighted,
    CAST(SUM(dcap_numerator) AS DOUBLE) AS numerator,
    CAST(SUM(dcap_denominator) AS DOUBLE) AS denominator,
    CAST(NULL AS DOUBLE) AS plain,
    CAST(100 AS DOUBLE) AS factor
  FROM work.sqlrisk_cell_parts AS cell_parts
  GROUP BY
    target,
    comparison,
    population
  UNION ALL
  SELECT
    'excluded' AS measure,
    CAST(NULL AS DOUBLE) AS point,
    target,
    comparison,
    population,
    0 AS weighted,
    CAST(SUM(excluded_numerator) AS DOUBLE) AS numerator,
    CAST(SUM(excluded_denominator) AS DOUBLE) AS denominator,
    CAST(NULL AS DOUBLE) AS plain,
    CAST(100 AS DOUBLE) AS factor
  FROM work.sqlrisk_cell_parts AS cell_parts
  GROUP BY
    target,
    comparison,
    population
  UNION ALL
  SELECT
    'CAP_within' AS measure,
    CAST(NULL AS DOUBLE) AS point,
    target,
    comparison,
    population,
    0 AS weighted,
    CAST(SUM(cap_within_numerator) AS DOUBLE) AS numerator,
    CAST(SUM(cap_within_denominator) AS DOUBLE) AS denominator,
    CAST(NULL AS DOUBLE) AS plain,
    CAST(100 AS DOUBLE) AS factor
  FROM work.sqlrisk_within_parts AS within_parts
  GROUP BY
    target,
    comparison,
    population
) AS fractions;

INSERT INTO work.sqlrisk_measured
SELECT
  measure,
  point,
  target,
  comparison,
  population,
  weighted,
  numerator,
  denominator,
  COALESCE(
    factor * plain,
    factor * CAST(numerator AS DOUBLE) / NULLIF(CAST(denominator AS DOUBLE), 0)
  ) AS value
FROM (
  SELECT
    'DCAP_scaled' AS measure,
    CAST(NULL AS DOUBLE) AS point,
    target,
    comparison,
    population,
    weighted,
    dcap - basecapd_counted AS numerator,
    100 - basecapd_counted AS denominator,
    CAST(NULL AS DOUBLE) AS plain,
    CAST(100 AS DOUBLE) AS factor
  FROM (
    SELECT
      target,
      comparison,
      population,
      weighted,
      MAX(CASE WHEN measure = 'DCAP' THEN value END) AS dcap,
      MAX(CASE WHEN measure = 'baseCAPd_counted' THEN value END) AS basecapd_counted
    FROM work.sqlrisk_measured AS results
    GROUP BY
      target,
      comparison,
      population,
      weighted
  ) AS results
) AS fractions;

-- one row per measure, point, target, synthesis (or mean, min, max, pooled), population, people and weighting, by their
-- names: the rows of a report
CREATE TABLE work.sqlrisk_results AS
SELECT
  measures.measure_name AS measure,
  measures.family AS family,
  found.point AS point,
  targets.target_name AS target,
  found.synthesis AS synthesis,
  populations.population_name AS population,
  found.people AS people,
  found.by_weight AS weighted,
  found.top_sum AS numerator,
  found.bottom_sum AS denominator,
  found.result AS value,
  CASE
    WHEN found.people = 'adjusted'
    THEN 'proportion of what is left above control'
    ELSE measures.unit_name
  END AS unit
FROM (
  SELECT
    numbers.measure AS name,
    numbers.point AS point,
    numbers.target AS target_number,
    comparisons.label AS synthesis,
    numbers.population AS population_number,
    comparisons.who AS people,
    numbers.weighted AS by_weight,
    numbers.numerator AS top_sum,
    numbers.denominator AS bottom_sum,
    numbers.value AS result
  FROM work.sqlrisk_measured AS numbers
  JOIN (
    SELECT
      1 AS number,
      '1' AS label,
      'original' AS who
  ) AS comparisons
    ON numbers.comparison = comparisons.number
) AS found
JOIN (
  SELECT
    'UiO' AS measure_name,
    'identity' AS family,
    'percent of original records' AS unit_name,
    1 AS of_people,
    1 AS of_control,
    0 AS weighable,
    1 AS is_share,
    1 AS untargeted
  UNION ALL
  SELECT
    'DCAP_scaled' AS measure_name,
    'cap' AS family,
    'percent of the way from the baseline to certainty' AS unit_name,
    1 AS of_people,
    1 AS of_control,
    0 AS weighable,
    1 AS is_share,
    0 AS untargeted
  UNION ALL
  SELECT
    'CAP_within' AS measure_name,
    'within' AS family,
    'percent of original records' AS unit_name,
    1 AS of_people,
    1 AS of_control,
    0 AS weighable,
    1 AS is_share,
    0 AS untargeted
  UNION ALL
  SELECT
    'excluded' AS measure_name,
    'left_out' AS family,
    'percent of original records' AS unit_name,
    1 AS of_people,
    1 AS of_control,
    0 AS weighable,
    1 AS is_share,
    0 AS untargeted
  UNION ALL
  SELECT
    'excluded_identity' AS measure_name,
    'left_out' AS family,
    'percent of original records' AS unit_name,
    1 AS of_people,
    1 AS of_control,
    0 AS weighable,
    1 AS is_share,
    1 AS untargeted
) AS measures
  ON found.name = measures.measure_name
JOIN (
  SELECT
    0 AS number,
    CAST(NULL AS TEXT) AS target_name
  UNION ALL
  SELECT
    1 AS number,
    'ill' AS target_name
  UNION ALL
  SELECT
    2 AS number,
    'income' AS target_name
) AS targets
  ON found.target_number = targets.number
JOIN (
  SELECT
    0 AS number,
    'all' AS population_name
) AS populations
  ON found.population_number = populations.number
WHERE
  (
    measures.of_people = 1 OR found.population_number = 0
  )
  AND (
    measures.untargeted = 1 OR found.target_number > 0
  )
  AND (
    measures.of_control = 1 OR found.people = 'original'
  )
  AND (
    measures.weighable = 1 OR found.by_weight = 0
  )
  AND (
    measures.is_share = 1 OR found.people <> 'adjusted'
  );
