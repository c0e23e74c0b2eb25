/*---
grain = "one row per value of one column, with levels of few people of the original merged into one"
reads = "uncoded, dated, aged, grouped, banded, equally_banded"
---*/
{% from "macros/counts.sql" import counts_of %}
{% from "macros/recodes.sql" import is_level, own_value %}
SELECT
    value, CASE WHEN people < {{ recode.rare }} THEN {{ recode.rare_as | literal }} ELSE name END AS label,
    CASE WHEN people < {{ recode.rare }} THEN NULL ELSE own_low END AS low,
    CASE WHEN people < {{ recode.rare }} THEN NULL ELSE own_high END AS high, {{ counts_of(files) }}
FROM (
    SELECT
        value, label AS name, low AS own_low, high AS own_high, {{ counts_of(files) }},
        CASE
            WHEN {{ is_level(recode) }} THEN SUM(n_orig) OVER (PARTITION BY label, low, high, {{ own_value() }})
        END AS people
    FROM {{ values }} AS recoded
) AS counted
