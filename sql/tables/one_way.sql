/*---
grain = """\
one row per comparison, population and flagged level of one target: a level that makes up nearly all of the target's \
DiSCO"""
reads = "one_way_candidates, marginals"
source = "Raab 2024; synthpop check_1way"
---*/
-- The only level that exclusions leave is no finding.
{% from "macros/numbers.sql" import quotient %}
SELECT
    comparison, population, counted.level_code AS level_code, n_orig_all AS records,
    100 * {{ quotient("n_orig", "n_orig_all") }} AS level_percent,
    n_total AS disclosed, n_disclosed AS level_disclosed,
    100 * {{ quotient("n_disclosed", "n_total") }} AS disclosed_percent
FROM {{ one_way_candidates }} AS counted
JOIN (
    SELECT
        level_code, n_orig, n_orig_all,
        SUM(CASE WHEN n_orig > 0 AND excluded_level < 1{% if missing_target %} AND level_code > 0{% endif %}
            THEN 1 ELSE 0 END) OVER () AS n_levels
    FROM {{ marginals }}
) AS marginals ON counted.level_code = marginals.level_code
WHERE target = {{ target.number }} AND n_levels > 1
