/*---
grain = "one row per level of a column, as a person reads it: a value, or a bin from low to high"
reads = "levels"
---*/
{% if column.shares_codes %}
{# unchanged by [MIN → MAX]: a code has one value or one bin #}
SELECT code, MIN(plain_value) AS value, MIN(bin_low) AS low, MIN(bin_high) AS high, MIN(bin_closed) AS closed
FROM (
    SELECT
        code, CASE WHEN low IS NULL THEN {{ column.shown }} END AS plain_value,
        low AS bin_low, high AS bin_high, closed AS bin_closed
    FROM {{ levels }}
) AS levels
GROUP BY code
{% else %}
{% set value = column.shown ~ " AS value" if column.labels else "value" %}
SELECT code, {{ value }}, CAST(NULL AS DOUBLE) AS low, CAST(NULL AS DOUBLE) AS high, CAST(NULL AS INTEGER) AS closed
FROM {{ levels }} AS levels
{% endif %}
