/*---
grain = "one row per value of a recoded column, with its level and the code that all values of the level share"
reads = "uncoded, dated, aged, grouped, banded, equally_banded, rare_joined, the order that files have for their values"
---*/
{% from "macros/counts.sql" import counts_of %}
{% from "macros/numbers.sql" import running %}
{% from "macros/recodes.sql" import own_value %}
-- Numbers and bands come first, sorted together, then names, unless the column has its own order. The code of the
-- missing level is 0. A code is the number of levels up to its own: each is counted at its first value (is_first).
WITH recoded AS (
    SELECT
        value, label, low, high, {{ own_value() }} AS own, {{ counts_of(files) }},
        {{ column.place if column.order else "CASE WHEN label IS NULL THEN 0 ELSE 1 END" }} AS place_of_value
    FROM {{ values }} AS recoded_values
{% if column.order %}
    LEFT JOIN {{ column.order_table }} AS level_places ON value = CAST(level AS {{ column.type }})
{% endif %}
), firsts AS (
    SELECT
        value, label, low, high, own, {{ counts_of(files) }},
        MIN(place_of_value) OVER (PARTITION BY label, low, own) AS place,
        {{ "COALESCE(low, CAST(own AS DOUBLE))" if recode.cuts_values else "low" }} AS from_number,
        CASE
            WHEN value IS NOT NULL AND ROW_NUMBER() OVER (PARTITION BY label, low, own ORDER BY value) < 2 THEN 1
            ELSE 0
        END AS is_first
    FROM recoded
), numbered AS (
    SELECT
        value, label, low, high, {{ counts_of(files) }},
        {{ running("SUM(is_first)", by="place, label, from_number, low, own, is_first DESC") }} AS levels_upto
    FROM firsts
)
SELECT
    value, CASE WHEN value IS NULL THEN 0 ELSE CAST(levels_upto AS INTEGER) END AS code, label, low, high,
    CASE WHEN low < high THEN 0 WHEN low IS NOT NULL THEN 1 END AS closed, {{ counts_of(files) }}
FROM numbered
