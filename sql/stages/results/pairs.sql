/*---
grain = """\
one row per comparison, population and pair of a target level and a key level in two_way_candidates that may be \
flagged"""
reads = "two_way_candidates, levels, marginals"
---*/
{% from "macros/select.sql" import union_all %}
-- The records of a target level within a key level are at most all records of the target level. This bound excludes
-- most pairs before the records are read again.
{% call union_all() %}
{% for part in parts %}
SELECT
    counted.comparison AS comparison, counted.population AS population, {{ part.column.number }} AS key_number,
    counted.level_code AS level_code, counted.digit AS digit,
    key_levels.code AS key_code, counted.npairs AS npairs, key_levels.n_key AS n_key
FROM (
    SELECT comparison, population, level_code, digit, CAST(SUM(counted_orig) AS BIGINT) AS npairs
    FROM (
        SELECT comparison, population, level_code, counted_orig, {{ part.digit }} AS digit
        FROM {{ two_way_candidates }}
        WHERE target = {{ target.number }}
    ) AS digits
    GROUP BY comparison, population, level_code, digit
) AS counted
JOIN (
    SELECT code, {{ part.packed("code") }} AS digit, CAST(SUM(n_orig) AS BIGINT) AS n_key
    FROM {{ levels[part.column.id] }}
    GROUP BY code
) AS key_levels ON counted.digit = key_levels.digit
JOIN {{ marginals }} AS marginals ON counted.level_code = marginals.level_code
{# unchanged by [100 → 101], [> → >=]: more rows pass, and tables/two_way.sql tests them again #}
WHERE 100 * marginals.n_orig > {{ two_way[1] }} * key_levels.n_key
UNION ALL
{% endfor %}
{% endcall %}
