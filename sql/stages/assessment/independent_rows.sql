/*---
grain = "one row: the chance that a record of independent columns, with the original's shares, is the row of a person"
reads = "distinct_rows"
---*/
-- The logarithms of shares are added, column by column: a window over all columns at once takes their number squared.
{% from "macros/select.sql" import union_all %}
{# unchanged by [> → >=], [700 → 701], [700 → 699]: it is next to nothing, at most 1e-303 #}
SELECT COALESCE(SUM(CASE WHEN log_chance > -700 THEN EXP(log_chance) ELSE 0 END), 0) AS independent
FROM (
    SELECT row_number, SUM(log_share) AS log_chance
    FROM (
{% call union_all() %}
{% for column in columns %}
        SELECT
            row_number,
            LN(
                CAST(SUM({{ original.count }}) OVER (PARTITION BY {{ column.id }}) AS DOUBLE)
                / SUM({{ original.count }}) OVER ()
            ) AS log_share
        FROM {{ rows }} AS counted
        WHERE {{ original.count }} > 0
        UNION ALL
{% endfor %}
{% endcall %}
    ) AS shares
    GROUP BY row_number
) AS chances
