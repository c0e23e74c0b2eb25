/*---
grain = "one row per different row that people have: the logarithm of the share of its levels, of some columns"
reads = "distinct_rows or some_columns"
---*/
-- The logarithms of shares are added, column by column. A share is of a level: levels are looked up, and no row is
-- sorted. What is missing is equal to nothing, and is looked up apart.
{% from "macros/select.sql" import union_all %}
SELECT row_number, SUM(share_log) AS log_share
FROM (
{% call union_all() %}
{% for column in columns %}
    SELECT
        counted.row_number AS row_number,
        LN(CAST(COALESCE(level.n, n_missing) AS DOUBLE) / n_all) AS share_log
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
