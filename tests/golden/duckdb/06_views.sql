-- Views of the cells with your names and levels, risky_* of those that make a measure, and record_risk of each record.
-- Disclosive: do not share.
-- Written by sqlrisk for DuckDB (run in the tests of sqlrisk).

SET TimeZone = 'UTC';

-- one row per synthesis and cell of each target (or class), with readable levels and the counts that measures read
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

-- one row per synthesis and cell (or class) that a measure counts, with readable levels
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

-- one row per person of the original, with the id on request, readable keys and targets, and the codes and counts of the
-- class from which the risk is computed
CREATE VIEW work.sqlrisk_named_records AS
SELECT
  label_k1.value AS "my ""key""",
  label_k2.value AS "age",
  label_k2.low AS "age_from",
  label_k2.high AS "age_to",
  label_k2.closed AS "age_closed",
  label_t1.value AS "ill",
  label_t2.value AS "income",
  members.file AS file,
  members.class_key AS class_key,
  members.class_key_2 AS class_key_2,
  members.n_orig_class AS n_orig_class,
  members.n_syn_class_1 AS n_syn_class_1,
  members.t1 AS t1,
  members.t2 AS t2
FROM (
  SELECT
    records.file AS file,
    records.class_key AS class_key,
    records.class_key_2 AS class_key_2,
    classes.n_orig AS n_orig_class,
    classes.n_syn_1 AS n_syn_class_1,
    records.t1 AS t1,
    records.t2 AS t2
  FROM (
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
  ) AS records
  JOIN work.sqlrisk_classes AS classes
    ON records.class_key = classes.class_key
    AND records.class_key_2 = classes.class_key_2
) AS members
JOIN (
  SELECT
    code,
    value,
    CAST(NULL AS DOUBLE) AS low,
    CAST(NULL AS DOUBLE) AS high,
    CAST(NULL AS INT) AS closed
  FROM work.sqlrisk_levels_k1 AS levels
) AS label_k1
  ON members.class_key = label_k1.code
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
) AS label_k2
  ON members.class_key_2 = label_k2.code
JOIN (
  SELECT
    code,
    value,
    CAST(NULL AS DOUBLE) AS low,
    CAST(NULL AS DOUBLE) AS high,
    CAST(NULL AS INT) AS closed
  FROM work.sqlrisk_levels_t1 AS levels
) AS label_t1
  ON members.t1 = label_t1.code
JOIN (
  SELECT
    code,
    value,
    CAST(NULL AS DOUBLE) AS low,
    CAST(NULL AS DOUBLE) AS high,
    CAST(NULL AS INT) AS closed
  FROM work.sqlrisk_levels_t2 AS levels
) AS label_t2
  ON members.t2 = label_t2.code;

-- one row per record, with what someone who knows its keys would find in the synthetic file
CREATE VIEW work.sqlrisk_record_risk AS
SELECT
  '1' AS synthesis,
  own_1 AS "my ""key""",
  own_2 AS "age",
  own_3 AS "age_from",
  own_4 AS "age_to",
  own_5 AS "age_closed",
  own_6 AS "ill",
  own_7 AS "income",
  n_orig_class,
  class_syn AS n_syn_class,
  CASE WHEN n_orig_class = 1 THEN TRUE ELSE FALSE END AS "unique",
  CASE WHEN n_orig_class = 1 AND class_syn = 1 THEN TRUE ELSE FALSE END AS replicated_unique,
  CAST(n_orig_t1 AS DOUBLE) / NULLIF(CAST(n_orig_class AS DOUBLE), 0) AS "cap_original_ill",
  CAST(n_syn_t1 AS DOUBLE) / NULLIF(CAST(class_syn AS DOUBLE), 0) AS "cap_synthetic_ill",
  share_level_t1 AS "cap_baseline_ill",
  CAST(CAST(n_syn_t1 AS DOUBLE) / NULLIF(CAST(class_syn AS DOUBLE), 0) AS DOUBLE) / NULLIF(CAST(share_level_t1 AS DOUBLE), 0) AS "lift_ill",
  CASE WHEN n_top_t1 = class_syn AND class_syn > 0 THEN TRUE ELSE FALSE END AS "disclosive_synthetic_ill",
  CASE WHEN n_syn_t1 = class_syn AND class_syn > 0 THEN TRUE ELSE FALSE END AS "correct_ill",
  CAST(n_top_t1 AS DOUBLE) / NULLIF(CAST(class_syn AS DOUBLE), 0) AS "top_share_ill",
  CASE
    WHEN n_syn_t1 = n_top_t1 AND class_syn > 0
    THEN CAST(1 AS DOUBLE) / NULLIF(CAST(n_modal_t1 AS DOUBLE), 0)
    ELSE 0
  END AS "predicted_share_ill",
  excluded_t1 AS "excluded_ill",
  CAST(n_orig_t2 AS DOUBLE) / NULLIF(CAST(n_orig_class AS DOUBLE), 0) AS "cap_original_income",
  CAST(n_syn_t2 AS DOUBLE) / NULLIF(CAST(class_syn AS DOUBLE), 0) AS "cap_synthetic_income",
  share_level_t2 AS "cap_baseline_income",
  CAST(CAST(n_syn_t2 AS DOUBLE) / NULLIF(CAST(class_syn AS DOUBLE), 0) AS DOUBLE) / NULLIF(CAST(share_level_t2 AS DOUBLE), 0) AS "lift_income",
  CASE WHEN n_top_t2 = class_syn AND class_syn > 0 THEN TRUE ELSE FALSE END AS "disclosive_synthetic_income",
  CASE WHEN n_syn_t2 = class_syn AND class_syn > 0 THEN TRUE ELSE FALSE END AS "correct_income",
  CAST(n_top_t2 AS DOUBLE) / NULLIF(CAST(class_syn AS DOUBLE), 0) AS "top_share_income",
  CASE
    WHEN n_syn_t2 = n_top_t2 AND class_syn > 0
    THEN CAST(1 AS DOUBLE) / NULLIF(CAST(n_modal_t2 AS DOUBLE), 0)
    ELSE 0
  END AS "predicted_share_income",
  excluded_t2 AS "excluded_income"
FROM (
  SELECT
    members.file AS file_number,
    members."my ""key""" AS own_1,
    members."age" AS own_2,
    members."age_from" AS own_3,
    members."age_to" AS own_4,
    members."age_closed" AS own_5,
    members."ill" AS own_6,
    members."income" AS own_7,
    members.n_orig_class AS n_orig_class,
    members.n_syn_class_1 AS class_syn,
    cells_t1.n_orig_t1 AS n_orig_t1,
    cells_t1.n_syn_t1 AS n_syn_t1,
    cells_t1.share_level_t1 AS share_level_t1,
    cells_t1.n_top_t1 AS n_top_t1,
    cells_t1.n_modal_t1 AS n_modal_t1,
    cells_t1.excluded_t1 AS excluded_t1,
    cells_t2.n_orig_t2 AS n_orig_t2,
    cells_t2.n_syn_t2 AS n_syn_t2,
    cells_t2.share_level_t2 AS share_level_t2,
    cells_t2.n_top_t2 AS n_top_t2,
    cells_t2.n_modal_t2 AS n_modal_t2,
    cells_t2.excluded_t2 AS excluded_t2
  FROM work.sqlrisk_named_records AS members
  LEFT JOIN (
    SELECT
      cells.class_key AS class_key,
      cells.class_key_2 AS class_key_2,
      cells.level_code AS level_code,
      cells.n_orig AS n_orig_t1,
      cells.n_syn AS n_syn_t1,
      CAST(cells.n_orig_level AS DOUBLE) / NULLIF(CAST(cells.n_orig_all AS DOUBLE), 0) AS share_level_t1,
      CASE WHEN cells.n_syn_class > 1 THEN modes.n_top ELSE cells.n_syn_class END AS n_top_t1,
      COALESCE(modes.n_modal, 1) AS n_modal_t1,
      cells.excluded_orig AS excluded_t1
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
              marginals.excluded_level AS excluded_level
            FROM work.sqlrisk_cells_t1 AS cells
            JOIN work.sqlrisk_marginals_t1 AS marginals
              ON cells.level_code = marginals.level_code
          ) AS seen
        ) AS reasons
      ) AS seen
    ) AS cells
    LEFT JOIN (
      SELECT
        class_key,
        class_key_2,
        MAX(n_most) AS n_top,
        COUNT(CASE WHEN n_syn = n_most THEN 1 END) AS n_modal
      FROM (
        SELECT
          class_key,
          class_key_2,
          n_syn,
          MAX(n_syn) OVER (PARTITION BY class_key, class_key_2) AS n_most
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
                  marginals.excluded_level AS excluded_level
                FROM work.sqlrisk_cells_t1 AS cells
                JOIN work.sqlrisk_marginals_t1 AS marginals
                  ON cells.level_code = marginals.level_code
              ) AS seen
            ) AS reasons
          ) AS seen
        ) AS compared
        WHERE
          n_syn_class > 1 AND n_syn > 0
      ) AS ranked
      GROUP BY
        class_key,
        class_key_2
    ) AS modes
      ON cells.class_key = modes.class_key AND cells.class_key_2 = modes.class_key_2
  ) AS cells_t1
    ON members.class_key = cells_t1.class_key
    AND members.class_key_2 = cells_t1.class_key_2
    AND members.t1 = cells_t1.level_code
  LEFT JOIN (
    SELECT
      cells.class_key AS class_key,
      cells.class_key_2 AS class_key_2,
      cells.level_code AS level_code,
      cells.n_orig AS n_orig_t2,
      cells.n_syn AS n_syn_t2,
      CAST(cells.n_orig_level AS DOUBLE) / NULLIF(CAST(cells.n_orig_all AS DOUBLE), 0) AS share_level_t2,
      CASE WHEN cells.n_syn_class > 1 THEN modes.n_top ELSE cells.n_syn_class END AS n_top_t2,
      COALESCE(modes.n_modal, 1) AS n_modal_t2,
      cells.excluded_orig AS excluded_t2
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
    ) AS cells
    LEFT JOIN (
      SELECT
        class_key,
        class_key_2,
        MAX(n_most) AS n_top,
        COUNT(CASE WHEN n_syn = n_most THEN 1 END) AS n_modal
      FROM (
        SELECT
          class_key,
          class_key_2,
          n_syn,
          MAX(n_syn) OVER (PARTITION BY class_key, class_key_2) AS n_most
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
        WHERE
          n_syn_class > 1 AND n_syn > 0
      ) AS ranked
      GROUP BY
        class_key,
        class_key_2
    ) AS modes
      ON cells.class_key = modes.class_key AND cells.class_key_2 = modes.class_key_2
  ) AS cells_t2
    ON members.class_key = cells_t2.class_key
    AND members.class_key_2 = cells_t2.class_key_2
    AND members.t2 = cells_t2.level_code
  WHERE
    members.file IN (0)
) AS counts;
