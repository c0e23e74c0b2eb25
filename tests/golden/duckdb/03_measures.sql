-- Numerators and denominators of every measure, for each comparison and target.
-- Written by sqlrisk for DuckDB (run in the tests of sqlrisk).

SET TimeZone = 'UTC';

-- one row per target, comparison, population and pass, with the numerator and denominator of every measure
CREATE TABLE work.sqlrisk_class_parts AS
SELECT
  0 AS target,
  1 AS comparison,
  0 AS population,
  CAST(SUM(CASE WHEN (
    n_orig = 1
  ) THEN counted_orig ELSE 0 END) AS BIGINT) AS uio_numerator,
  CAST(SUM(people) AS BIGINT) AS uio_denominator,
  CAST(SUM(people - counted_orig) AS BIGINT) AS excluded_identity_numerator,
  CAST(SUM(people) AS BIGINT) AS excluded_identity_denominator
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
) AS classes;

-- one row per target, comparison, population and pass, with the numerator and denominator of every measure
CREATE TABLE work.sqlrisk_cell_parts AS
SELECT
  target,
  1 AS comparison,
  0 AS population,
  SUM(counted_orig * share_level) AS basecapd_counted_numerator,
  CAST(SUM(people) AS BIGINT) AS basecapd_counted_denominator,
  COALESCE(SUM(counted_orig * share_syn), 0) AS dcap_numerator,
  CAST(SUM(people) AS BIGINT) AS dcap_denominator,
  CAST(SUM(people - counted_orig) AS BIGINT) AS excluded_numerator,
  CAST(SUM(people) AS BIGINT) AS excluded_denominator
FROM (
  SELECT
    n_orig,
    n_syn,
    n_orig_class,
    n_syn_class,
    n_orig AS n_base,
    n_orig_class AS n_base_class,
    n_orig_level,
    n_orig_all,
    CAST(n_orig AS DOUBLE) / NULLIF(CAST(n_orig_class AS DOUBLE), 0) AS share_orig,
    CAST(n_syn AS DOUBLE) / NULLIF(CAST(n_syn_class AS DOUBLE), 0) AS share_syn,
    CAST(n_orig_level AS DOUBLE) / NULLIF(CAST(n_orig_all AS DOUBLE), 0) AS share_level,
    n_cells,
    target,
    sum_people AS people,
    synthetic,
    sum_counted_orig AS counted_orig,
    sum_counted_orig_class AS counted_orig_class,
    sum_counted_syn AS counted_syn,
    counted_most
  FROM (
    SELECT
      n_orig,
      n_syn,
      n_orig_class,
      n_syn_class,
      n_orig_level,
      n_orig_all,
      target,
      COUNT(*) AS n_cells,
      CAST(SUM(people) AS BIGINT) AS sum_people,
      CAST(SUM(n_syn) AS BIGINT) AS synthetic,
      CAST(SUM(counted_orig) AS BIGINT) AS sum_counted_orig,
      CAST(SUM(counted_orig_class) AS BIGINT) AS sum_counted_orig_class,
      CAST(SUM(counted_syn) AS BIGINT) AS sum_counted_syn,
      MAX(counted_orig) AS counted_most
    FROM (
      SELECT
        class_key,
        class_key_2,
        level_code,
        n_own AS n_orig,
        n_syn,
        n_own_class AS n_orig_class,
        n_syn_class,
        n_orig_level,
        n_syn_level,
        n_orig_all,
        n_syn_all,
        n_base,
        n_base_class,
        target,
        n_own AS people,
        CASE WHEN excluded_orig IS NULL THEN n_own ELSE 0 END AS counted_orig,
        CAST(SUM(CASE WHEN excluded_orig IS NULL THEN n_own ELSE 0 END) OVER (PARTITION BY class_key, class_key_2) AS BIGINT) AS counted_orig_class,
        CASE WHEN excluded_syn IS NULL THEN n_syn ELSE 0 END AS counted_syn,
        excluded_orig,
        excluded_syn
      FROM (
        SELECT
          class_key,
          class_key_2,
          level_code,
          n_own,
          n_syn,
          n_own_class,
          n_syn_class,
          n_orig_level,
          n_syn_level,
          n_orig_all,
          n_syn_all,
          n_base,
          n_base_class,
          target,
          COALESCE(reason, NULL) AS excluded_orig,
          COALESCE(reason, NULL) AS excluded_syn
        FROM (
          SELECT
            seen.class_key AS class_key,
            seen.class_key_2 AS class_key_2,
            seen.level_code AS level_code,
            seen.n_own AS n_own,
            seen.n_syn AS n_syn,
            seen.n_own_class AS n_own_class,
            seen.n_syn_class AS n_syn_class,
            seen.n_orig_level AS n_orig_level,
            seen.n_syn_level AS n_syn_level,
            seen.n_orig_all AS n_orig_all,
            seen.n_syn_all AS n_syn_all,
            seen.n_base AS n_base,
            seen.n_base_class AS n_base_class,
            seen.target AS target,
            CASE
              WHEN seen.excluded_level = 1
              THEN 'target level'
              WHEN seen.level_code = 0
              THEN 'missing target'
              WHEN seen.class_key = 0
              THEN 'missing key'
            END AS reason
          FROM (
            SELECT
              cells.class_key AS class_key,
              cells.class_key_2 AS class_key_2,
              cells.level_code AS level_code,
              cells.n_orig AS n_own,
              cells.n_syn_1 AS n_syn,
              cells.n_orig_class AS n_own_class,
              cells.n_syn_class_1 AS n_syn_class,
              marginals.n_orig AS n_orig_level,
              marginals.n_syn_1 AS n_syn_level,
              marginals.n_orig_all AS n_orig_all,
              marginals.n_syn_all_1 AS n_syn_all,
              cells.n_orig AS n_base,
              cells.n_orig_class AS n_base_class,
              1 AS target,
              marginals.excluded_level AS excluded_level
            FROM work.sqlrisk_cells_t1 AS cells
            JOIN work.sqlrisk_marginals_t1 AS marginals
              ON cells.level_code = marginals.level_code
          ) AS seen
        ) AS reasons
      ) AS seen
      UNION ALL
      SELECT
        class_key,
        class_key_2,
        level_code,
        n_own AS n_orig,
        n_syn,
        n_own_class AS n_orig_class,
        n_syn_class,
        n_orig_level,
        n_syn_level,
        n_orig_all,
        n_syn_all,
        n_base,
        n_base_class,
        target,
        n_own AS people,
        CASE WHEN excluded_orig IS NULL THEN n_own ELSE 0 END AS counted_orig,
        CAST(SUM(CASE WHEN excluded_orig IS NULL THEN n_own ELSE 0 END) OVER (PARTITION BY class_key, class_key_2) AS BIGINT) AS counted_orig_class,
        CASE WHEN excluded_syn IS NULL THEN n_syn ELSE 0 END AS counted_syn,
        excluded_orig,
        excluded_syn
      FROM (
        SELECT
          class_key,
          class_key_2,
          level_code,
          n_own,
          n_syn,
          n_own_class,
          n_syn_class,
          n_orig_level,
          n_syn_level,
          n_orig_all,
          n_syn_all,
          n_base,
          n_base_class,
          target,
          COALESCE(reason, NULL) AS excluded_orig,
          COALESCE(reason, NULL) AS excluded_syn
        FROM (
          SELECT
            seen.class_key AS class_key,
            seen.class_key_2 AS class_key_2,
            seen.level_code AS level_code,
            seen.n_own AS n_own,
            seen.n_syn AS n_syn,
            seen.n_own_class AS n_own_class,
            seen.n_syn_class AS n_syn_class,
            seen.n_orig_level AS n_orig_level,
            seen.n_syn_level AS n_syn_level,
            seen.n_orig_all AS n_orig_all,
            seen.n_syn_all AS n_syn_all,
            seen.n_base AS n_base,
            seen.n_base_class AS n_base_class,
            seen.target AS target,
            CASE
              WHEN seen.excluded_level = 1
              THEN 'target level'
              WHEN seen.class_key = 0
              THEN 'missing key'
            END AS reason
          FROM (
            SELECT
              cells.class_key AS class_key,
              cells.class_key_2 AS class_key_2,
              cells.level_code AS level_code,
              cells.n_orig AS n_own,
              cells.n_syn_1 AS n_syn,
              cells.n_orig_class AS n_own_class,
              cells.n_syn_class_1 AS n_syn_class,
              marginals.n_orig AS n_orig_level,
              marginals.n_syn_1 AS n_syn_level,
              marginals.n_orig_all AS n_orig_all,
              marginals.n_syn_all_1 AS n_syn_all,
              cells.n_orig AS n_base,
              cells.n_orig_class AS n_base_class,
              2 AS target,
              marginals.excluded_level AS excluded_level
            FROM work.sqlrisk_cells_t2 AS cells
            JOIN work.sqlrisk_marginals_t2 AS marginals
              ON cells.level_code = marginals.level_code
          ) AS seen
        ) AS reasons
      ) AS seen
    ) AS compared
    GROUP BY
      n_orig,
      n_syn,
      n_orig_class,
      n_syn_class,
      n_orig_level,
      n_orig_all,
      target,
      excluded_orig,
      excluded_syn
  ) AS counted
) AS cells
GROUP BY
  target;

-- one row per target, comparison, population and pass, with the numerator and denominator of every measure
CREATE TABLE work.sqlrisk_within_parts AS
SELECT
  2 AS target,
  1 AS comparison,
  0 AS population,
  COALESCE(SUM(counted_orig * share_syn_within), 0) AS cap_within_numerator,
  CAST(SUM(people) AS BIGINT) AS cap_within_denominator
FROM (
  SELECT
    n_orig_class,
    n_syn_class,
    n_base_class,
    n_orig_all,
    n_orig_within,
    n_syn_within,
    n_base_within,
    n_level_within,
    close_orig,
    close_syn,
    CAST(n_base_within AS DOUBLE) / NULLIF(CAST(n_base_class AS DOUBLE), 0) AS share_orig_within,
    CAST(n_syn_within AS DOUBLE) / NULLIF(CAST(n_syn_class AS DOUBLE), 0) AS share_syn_within,
    CAST(n_level_within AS DOUBLE) / NULLIF(CAST(n_orig_all AS DOUBLE), 0) AS share_level_within,
    sum_people AS people,
    sum_counted_orig AS counted_orig
  FROM (
    SELECT
      n_orig_class,
      n_syn_class,
      n_base_class,
      n_orig_all,
      n_orig_within,
      n_syn_within,
      n_base_within,
      n_level_within,
      close_orig,
      close_syn,
      CAST(SUM(people) AS BIGINT) AS sum_people,
      CAST(SUM(counted_orig) AS BIGINT) AS sum_counted_orig
    FROM (
      SELECT
        class_key,
        class_key_2,
        level_code,
        n_orig,
        n_syn,
        n_orig_class,
        n_syn_class,
        n_base_class,
        n_orig_all,
        n_orig_within,
        n_syn_within,
        n_base_within,
        n_level_within,
        CASE
          WHEN n_orig_within = n_orig_class
          AND (
            n_orig = n_orig_class OR extent_orig <= reach
          )
          THEN 1
          ELSE 0
        END AS close_orig,
        CASE
          WHEN n_syn_class > 0
          AND n_syn_within = n_syn_class
          AND (
            n_syn = n_syn_class OR extent_syn <= reach
          )
          THEN 1
          ELSE 0
        END AS close_syn,
        people,
        counted_orig,
        excluded_orig
      FROM (
        SELECT
          compared.class_key AS class_key,
          compared.class_key_2 AS class_key_2,
          compared.level_code AS level_code,
          compared.n_orig AS n_orig,
          compared.n_syn AS n_syn,
          compared.n_orig_class AS n_orig_class,
          compared.n_syn_class AS n_syn_class,
          compared.n_base_class AS n_base_class,
          compared.n_orig_all AS n_orig_all,
          COALESCE(counts.within_n_orig, compared.n_orig) AS n_orig_within,
          COALESCE(counts.within_n_syn_1, compared.n_syn) AS n_syn_within,
          COALESCE(counts.within_n_orig, compared.n_base) AS n_base_within,
          tolerance_intervals.n_level_within AS n_level_within,
          tolerance_intervals.reach AS reach,
          class_ranges.high_n_orig - class_ranges.low_n_orig AS extent_orig,
          class_ranges.high_1 - class_ranges.low_1 AS extent_syn,
          compared.people AS people,
          compared.counted_orig AS counted_orig,
          compared.excluded_orig AS excluded_orig
        FROM (
          SELECT
            class_key,
            class_key_2,
            level_code,
            n_own AS n_orig,
            n_syn,
            n_own_class AS n_orig_class,
            n_syn_class,
            n_orig_level,
            n_syn_level,
            n_orig_all,
            n_syn_all,
            n_base,
            n_base_class,
            n_own AS people,
            CASE WHEN excluded_orig IS NULL THEN n_own ELSE 0 END AS counted_orig,
            CAST(SUM(CASE WHEN excluded_orig IS NULL THEN n_own ELSE 0 END) OVER (PARTITION BY class_key, class_key_2) AS BIGINT) AS counted_orig_class,
            CASE WHEN excluded_syn IS NULL THEN n_syn ELSE 0 END AS counted_syn,
            excluded_orig,
            excluded_syn
          FROM (
            SELECT
              class_key,
              class_key_2,
              level_code,
              n_own,
              n_syn,
              n_own_class,
              n_syn_class,
              n_orig_level,
              n_syn_level,
              n_orig_all,
              n_syn_all,
              n_base,
              n_base_class,
              COALESCE(reason, NULL) AS excluded_orig,
              COALESCE(reason, NULL) AS excluded_syn
            FROM (
              SELECT
                seen.class_key AS class_key,
                seen.class_key_2 AS class_key_2,
                seen.level_code AS level_code,
                seen.n_own AS n_own,
                seen.n_syn AS n_syn,
                seen.n_own_class AS n_own_class,
                seen.n_syn_class AS n_syn_class,
                seen.n_orig_level AS n_orig_level,
                seen.n_syn_level AS n_syn_level,
                seen.n_orig_all AS n_orig_all,
                seen.n_syn_all AS n_syn_all,
                seen.n_base AS n_base,
                seen.n_base_class AS n_base_class,
                CASE
                  WHEN seen.excluded_level = 1
                  THEN 'target level'
                  WHEN seen.class_key = 0
                  THEN 'missing key'
                END AS reason
              FROM (
                SELECT
                  cells.class_key AS class_key,
                  cells.class_key_2 AS class_key_2,
                  cells.level_code AS level_code,
                  cells.n_orig AS n_own,
                  cells.n_syn_1 AS n_syn,
                  cells.n_orig_class AS n_own_class,
                  cells.n_syn_class_1 AS n_syn_class,
                  marginals.n_orig AS n_orig_level,
                  marginals.n_syn_1 AS n_syn_level,
                  marginals.n_orig_all AS n_orig_all,
                  marginals.n_syn_all_1 AS n_syn_all,
                  cells.n_orig AS n_base,
                  cells.n_orig_class AS n_base_class,
                  marginals.excluded_level AS excluded_level
                FROM work.sqlrisk_cells_t2 AS cells
                JOIN work.sqlrisk_marginals_t2 AS marginals
                  ON cells.level_code = marginals.level_code
              ) AS seen
            ) AS reasons
          ) AS seen
        ) AS compared
        JOIN work.sqlrisk_tolerance_intervals_t2 AS tolerance_intervals
          ON compared.level_code = tolerance_intervals.level_code
        LEFT JOIN work.sqlrisk_within_counts_t2 AS counts
          ON compared.class_key = counts.class_key
          AND compared.class_key_2 = counts.class_key_2
          AND compared.level_code = counts.level_code
        LEFT JOIN work.sqlrisk_class_ranges_t2 AS class_ranges
          ON compared.class_key = class_ranges.class_key
          AND compared.class_key_2 = class_ranges.class_key_2
        WHERE
          compared.n_orig > 0
      ) AS measured
    ) AS within_cells
    GROUP BY
      n_orig_class,
      n_syn_class,
      n_base_class,
      n_orig_all,
      n_orig_within,
      n_syn_within,
      n_base_within,
      n_level_within,
      close_orig,
      close_syn,
      excluded_orig
  ) AS counted
) AS within;
