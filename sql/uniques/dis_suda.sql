/*---
grain = "one row per SUDA score above 0, with its records and its DIS-SUDA"
reads = "suda_scores, classes"
source = "DIS: Skinner & Elliot 2002; DIS-SUDA: Elliot & Manning 2003, as in sdcMicro"
---*/
{% from "macros/numbers.sql" import share %}
-- DIS, the chance that a match with a unique is right, is U f / (U f + P (1 - f)): U uniques, P records in pairs, f the
-- fraction of the population that was sampled. It is distributed over the uniques in proportion to their score to the
-- power {{ exponent }}.
SELECT
    points,
    suda_score,
    n_records,
    CAST(1 AS DOUBLE)
        / NULLIF(1 + n_paired * (1 - CAST({{ fraction }} AS DOUBLE)) / CAST({{ fraction }} AS DOUBLE)
            / NULLIF(CAST(share AS DOUBLE) * CAST(total AS DOUBLE), 0), 0) AS dis_suda
FROM (
    SELECT
        points,
        suda_score,
        n_records,
        POWER(suda_score, {{ exponent }}) AS share,
        SUM({{ share("n_records", "POWER(suda_score, " ~ exponent ~ ")") }}) OVER () AS total
    FROM (
        SELECT points, suda_score, COUNT(*) AS n_records
        FROM {{ suda_scores }} AS suda_scores
        WHERE points > 0
        GROUP BY points, suda_score
    ) AS scores
) AS shared
CROSS JOIN (SELECT 2 * COUNT(CASE WHEN {{ count }} = 2 THEN 1 END) AS n_paired FROM {{ classes }} AS classes) AS pairs
