/*---
grain = "one row per value of one column: levels of few people of the original are one"
reads = "uncoded, dated, aged, grouped, banded, equally_banded"
---*/
{% from "macros/counts.sql" import counts_of %}
{% from "macros/recodes.sql" import is_level, own_value %}
SELECT
    value, CASE WHEN people < {{ recode.rare }} THEN {{ recode.rare_as | literal }} ELSE label END AS label,
    CASE WHEN people < {{ recode.rare }} THEN NULL ELSE low END AS low,
    CASE WHEN people < {{ recode.rare }} THEN NULL ELSE high END AS high, {{ counts_of(files) }}
FROM (
    SELECT
        value, label, low, high, {{ counts_of(files) }},
        CASE
            WHEN {{ is_level(recode) }} THEN SUM(n_orig) OVER (PARTITION BY label, low, high, {{ own_value() }})
        END AS people
    FROM {{ values }} AS recoded
) AS counted
