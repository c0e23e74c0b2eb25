/*---
grain = "one row per value of one column: a number's level is the band of a width that holds it, from a multiple on"
reads = "aged, grouped, banded, uncoded"
---*/
{% from "macros/counts.sql" import counts_of %}
{% from "macros/recodes.sql" import is_number %}
SELECT
    value, label, COALESCE(start, low) AS low, COALESCE(start + {{ recode.width }}, high) AS high,
    {{ counts_of(files) }}
FROM (
    SELECT
        value, label, low, high, {{ counts_of(files) }},
        CASE
            WHEN {{ is_number() }}
                THEN FLOOR(CAST({{ recode.number }} AS DOUBLE) / {{ recode.width }}) * {{ recode.width }}
        END AS start
    FROM {{ values }} AS recoded
) AS starts
