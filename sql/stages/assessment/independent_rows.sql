/*---
grain = "one row: the chance that a record of independent columns, with the original's shares, is the row of a person"
reads = "distinct_rows"
---*/
-- The logarithms of shares are added, column by column. A share is of a level: levels are looked up, and no row is
-- sorted. What is missing is equal to nothing, and is looked up apart.
{% from "macros/select.sql" import union_all %}
{# unchanged by [> → >=], [700 → 701], [700 → 699]: it is next to nothing, at most 1e-303 #}
SELECT COALESCE(SUM(CASE WHEN log_chance > -700 THEN EXP(log_chance) ELSE 0 END), 0) AS independent
FROM (
    SELECT row_number, SUM(log_share) AS log_chance
    FROM (
{% call union_all() %}
{% for column in columns %}
        SELECT
            counted.row_number AS row_number,
            LN(CAST(COALESCE(level.n, n_missing) AS DOUBLE) / n_all) AS log_share
        FROM {{ rows }} AS counted
        LEFT JOIN (
            SELECT {{ column.id }}, SUM({{ original.count }}) AS n
            FROM {{ rows }} AS counted
            GROUP BY {{ column.id }}
        ) AS level ON counted.{{ column.id }} = level.{{ column.id }}
        CROSS JOIN (
            SELECT
                SUM({{ original.count }}) AS n_all,
                SUM(CASE WHEN {{ column.id }} IS NULL THEN {{ original.count }} END) AS n_missing
            FROM {{ rows }} AS counted
        ) AS files
        WHERE {{ original.count }} > 0
        UNION ALL
{% endfor %}
{% endcall %}
    ) AS shares
    GROUP BY row_number
) AS chances
