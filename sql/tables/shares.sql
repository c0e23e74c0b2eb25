/*---
grain = """\
one row per file and frequent level of a target, with its records and percentage, in the order of frequency in the \
original; the last row of a file sums up all other levels"""
reads = "marginals"
---*/
{% from "macros/numbers.sql" import share %}
{% from "macros/select.sql" import union_all %}
{% call union_all() %}
{% for file in files %}
SELECT
    {{ file.number }} AS file_number,
    place_shown,
    {# unchanged by [MIN → MAX]: only one level has each place #}
    MIN(CASE WHEN place_shown <= {{ limit }} THEN level_code END) AS level_shown,
    CAST(SUM({{ file.count }}) AS BIGINT) AS records,
    100 * {{ share("SUM(" ~ file.count ~ ")", "MIN(" ~ file.count_all ~ ")") }} AS percent
FROM (
    SELECT
        level_code, {{ file.count }}, {{ file.count_all }},
        CASE WHEN place <= {{ limit }} THEN place ELSE {{ limit + 1 }} END AS place_shown
    FROM (
        SELECT
            level_code, {{ file.count }}, {{ file.count_all }},
            ROW_NUMBER() OVER (ORDER BY n_orig DESC, level_code) AS place
        FROM {{ marginals }}
    ) AS ranked
) AS placed
GROUP BY place_shown
UNION ALL
{% endfor %}
{% endcall %}
