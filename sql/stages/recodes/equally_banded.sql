/*---
grain = "one row per value of one column, with the band of equal width that holds the number as its level"
reads = "aged, grouped, banded, uncoded"
---*/
{% from "macros/counts.sql" import counts_of %}
{% from "macros/numbers.sql" import quotient %}
{% from "macros/recodes.sql" import is_number %}
SELECT
    value, label, COALESCE(band_low, own_low) AS low, COALESCE(band_low + {{ recode.width }}, own_high) AS high,
    {{ counts_of(files) }}
FROM (
    SELECT
        value, label, low AS own_low, high AS own_high, {{ counts_of(files) }},
        CASE
            WHEN {{ is_number() }} THEN FLOOR({{ quotient(recode.number, recode.width) }}) * {{ recode.width }}
        END AS band_low
    FROM {{ values }} AS recoded
) AS bands
