/*---
grain = "one row per SUDA score above 0, with its records and its DIS-SUDA"
reads = "suda_scores, classes"
source = "DIS: Skinner & Elliot 2002; DIS-SUDA: Elliot & Manning 2003, as in sdcMicro"
---*/
{% from "macros/numbers.sql" import quotient, share %}
{% set f = "CAST(" ~ fraction ~ " AS DOUBLE)" %}
{% set odds_weight = "POWER(suda_score, " ~ exponent ~ ")" %}
-- DIS, the chance that a match with a unique is right, is U f / (U f + P (1 - f)): U uniques, P records in pairs, f the
-- fraction of the population that was sampled. So its odds are U f / (P (1 - f)). DIS-SUDA gives each unique odds in
-- proportion to a weight w, its score to the power {{ exponent }}: U is replaced by w times the sum of 1 / w over the
-- uniques, which is U if all scores are equal.
SELECT
    points, suda_score, n_records,
    {{ quotient("1", "1 + " ~ share("n_paired * (1 - " ~ f ~ ") / " ~ f, "odds_weight * sum_inverse")) }} AS dis_suda
FROM (
    SELECT
        points, suda_score, n_records, {{ odds_weight }} AS odds_weight,
        SUM({{ share("n_records", odds_weight) }}) OVER () AS sum_inverse
    FROM (
        SELECT points, suda_score, COUNT(*) AS n_records
        FROM {{ suda_scores }} AS suda_scores
        WHERE points > 0
        GROUP BY points, suda_score
    ) AS scores
) AS weighed
CROSS JOIN (SELECT 2 * COUNT(CASE WHEN {{ count }} = 2 THEN 1 END) AS n_paired FROM {{ classes }} AS classes) AS pairs
