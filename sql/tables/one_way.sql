/*---
grain = """\
one row per comparison, population and flagged level of one target: a level that makes up nearly all of the target's \
DiSCO, if exclusions leave others"""
reads = "disclosive_levels, marginals"
source = """\
Raab 2024; synthpop check_1way. Both thresholds are strict; tied top levels are all listed. The only level left is \
no finding"""
---*/
{% from "macros/numbers.sql" import quotient %}
SELECT
    comparison, population, level_code, n_all AS records, 100 * {{ quotient("n_level", "n_all") }} AS level_percent,
    CAST(n_total AS BIGINT) AS disclosed, CAST(n_disclosed AS BIGINT) AS level_disclosed,
    100 * {{ quotient("n_disclosed", "n_total") }} AS disclosed_percent
FROM (
    SELECT
        counted.comparison AS comparison, counted.population AS population, counted.level_code AS level_code,
        counted.n_of_level AS n_disclosed,
        SUM(counted.n_of_level) OVER (PARTITION BY counted.comparison, counted.population) AS n_total,
        MAX(counted.n_of_level) OVER (PARTITION BY counted.comparison, counted.population) AS n_top,
        marginals.n_orig AS n_level,
        marginals.n_orig_all AS n_all,
        marginals.n_levels AS n_levels
    FROM (
        SELECT comparison, population, level_code, SUM(n_disclosed) AS n_of_level
        FROM {{ disclosive_levels }}
        WHERE target = {{ target.number }}
        GROUP BY comparison, population, level_code
    ) AS counted
    JOIN (
        SELECT
            level_code, n_orig, n_orig_all,
            SUM(CASE WHEN n_orig > 0 AND excluded_level < 1{% if missing_target %} AND level_code > 0{% endif %}
                THEN 1 ELSE 0 END) OVER () AS n_levels
        FROM {{ marginals }}
    ) AS marginals ON counted.level_code = marginals.level_code
) AS ranked
{# unchanged by n_disclosed [= → >=]: no value exceeds the maximum #}
WHERE n_disclosed = n_top AND n_disclosed > {{ one_way[0] }} AND 100 * n_disclosed > {{ one_way[1] }} * n_total
    AND n_levels > 1
