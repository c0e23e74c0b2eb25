/*---
grain = """\
one row per target, comparison, population and pair of a target level and a key level of two_way_candidates that may \
be flagged"""
reads = "two_way_candidates, levels"
---*/
{% from "macros/select.sql" import union_all %}
-- A target level has at most all of its records within a key level. This bound excludes most pairs before the records
-- are read again.
SELECT
    counted.target AS target, counted.comparison AS comparison, counted.population AS population,
    counted.key_number AS key_number, counted.level_code AS level_code, counted.digit AS digit,
    key_levels.code AS key_code, counted.npairs AS npairs, key_levels.n_key AS n_key
FROM (
    SELECT
        target, comparison, population, key_number, level_code, n_level, digit,
        CAST(SUM(counted_orig) AS BIGINT) AS npairs
    FROM (
{% call union_all() %}
{% for part in parts %}
        SELECT
            target, comparison, population, {{ part.column.number }} AS key_number, level_code, n_level,
            {{ part.digit }} AS digit, counted_orig
        FROM {{ two_way_candidates }}
        UNION ALL
{% endfor %}
{% endcall %}
    ) AS digits
    GROUP BY target, comparison, population, key_number, level_code, n_level, digit
) AS counted
JOIN (
{% call union_all() %}
{% for part in parts %}
    SELECT
        {{ part.column.number }} AS key_number, code, {{ part.packed("code") }} AS digit,
        CAST(SUM(n_orig) AS BIGINT) AS n_key
    FROM {{ levels[part.column.id] }}
    GROUP BY code
    UNION ALL
{% endfor %}
{% endcall %}
) AS key_levels ON counted.key_number = key_levels.key_number AND counted.digit = key_levels.digit
{# unchanged by [100 → 101], [> → >=]: more rows pass, and tables/two_way.sql tests them again #}
WHERE 100 * counted.n_level > {{ two_way[1] }} * key_levels.n_key
