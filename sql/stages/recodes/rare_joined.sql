/*---
grain = "one row per value of one column: levels of few people of the original are one"
reads = "uncoded, dated, aged, grouped, banded, equally_banded"
---*/
{% from "macros/counts.sql" import counts_of %}
{% from "macros/recodes.sql" import is_level, own_value %}
SELECT
    value, CASE WHEN rare = 1 THEN {{ recode.rare_as | literal }} ELSE label END AS label,
    CASE WHEN rare = 0 THEN low END AS low, CASE WHEN rare = 0 THEN high END AS high, {{ counts_of(files) }}
FROM (
    SELECT
        value, label, low, high,
        CASE
            WHEN {{ is_level(recode) }} AND SUM(n_orig) OVER (PARTITION BY label, low, high, {{ own_value() }}) < {{ recode.rare }}
                THEN 1
            ELSE 0
        END AS rare,
        {{ counts_of(files) }}
    FROM {{ values }} AS recoded
) AS counted
