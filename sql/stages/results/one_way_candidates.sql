/*---
grain = """\
one row per target, comparison, population and level that makes up nearly all of the target's DiSCO"""
reads = "disclosive_levels"
source = "Raab 2024; synthpop check_1way"
---*/
-- As in synthpop, both thresholds must be exceeded, and all levels that tie for the most people are listed.
SELECT
    target, comparison, population, level_code,
    CAST(n_of_level AS BIGINT) AS n_disclosed, CAST(n_of_target AS BIGINT) AS n_total
FROM (
    SELECT
        target, comparison, population, level_code, n_of_level,
        SUM(n_of_level) OVER (PARTITION BY target, comparison, population) AS n_of_target,
        MAX(n_of_level) OVER (PARTITION BY target, comparison, population) AS n_top
    FROM (
        SELECT target, comparison, population, level_code, SUM(n_disclosed) AS n_of_level
        FROM {{ disclosive_levels }}
        GROUP BY target, comparison, population, level_code
    ) AS passes
) AS ranked
{# unchanged by n_of_level [= → >=]: no value exceeds the maximum #}
WHERE n_of_level = n_top AND n_of_level > {{ one_way[0] }} AND 100 * n_of_level > {{ one_way[1] }} * n_of_target
