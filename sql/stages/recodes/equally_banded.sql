/*---
grain = "one row per value of one column: a number's level is the band of a width that holds it; bands begin at multiples"
reads = "aged, grouped, banded, uncoded"
---*/
{% from "macros/counts.sql" import counts_of %}
{% from "macros/recodes.sql" import is_number %}
SELECT
    value, label, CASE WHEN banded = 1 THEN start ELSE low END AS low,
    CASE WHEN banded = 1 THEN start + {{ recode.width }} ELSE high END AS high, {{ counts_of(files) }}
FROM (
    SELECT
        value, label, low, high, CASE WHEN {{ is_number() }} THEN 1 ELSE 0 END AS banded,
        FLOOR(CAST({{ recode.number }} AS DOUBLE) / {{ recode.width }}) * {{ recode.width }} AS start,
        {{ counts_of(files) }}
    FROM {{ values }} AS recoded
) AS starts
