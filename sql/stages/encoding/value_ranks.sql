/*---
grain = """\
one row per distinct number of one binned column, with the records below it and up to it, and the column's last \
position, distinct numbers, finite minimum and maximum"""
reads = "values, aged, banded, equally_banded"
---*/
{% from "macros/counts.sql" import records_of %}
{% from "macros/numbers.sql" import finite, running %}
-- Values of the original and the syntheses are pooled. Control is never included. Bins of equal width cover
-- the finite values.
SELECT
    x,
    upto - n AS records_below,
    upto AS records_upto,
    MAX(upto) OVER () - 1 AS last_position,
    COUNT(*) OVER () AS distinct_values,
    MIN(CASE WHEN {{ finite("x") }} THEN x END) OVER () AS smallest,
    MAX(CASE WHEN {{ finite("x") }} THEN x END) OVER () AS largest
FROM (
    SELECT x, n, CAST({{ running("SUM(n)", by="x") }} AS BIGINT) AS upto
    FROM (
        SELECT {{ column.binned }} AS x, {{ records_of(pooled) }} AS n
        FROM {{ values }}
        WHERE {{ column.binned }} IS NOT NULL
{%- for special in column.special %} AND value <> {{ special }}{% endfor +%}
    ) AS numbers
    WHERE n > 0
) AS cumulated
