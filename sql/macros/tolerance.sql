{% from "macros/numbers.sql" import running %}
{% from "macros/select.sql" import column_list %}
{#- Find the levels of a target that are within the tolerance of each other. -#}

{#- The rows whose level is a number, neither missing nor special, from a table of levels. -#}
{% macro numbered() %}
FROM {{ numbers }} AS numbers WHERE number IS NOT NULL
{%- endmacro %}

{#- The tolerance interval of each level. The body of the call is a query of own_code, below_code and upto_code. -#}
{% macro reaches_between() %}
SELECT
    numbers.level_code AS level_code,
    numbers.number AS number,
    numbers.reach AS reach,
    own.below_code AS below_code,
    own.upto_code AS upto_code,
    CASE
        WHEN numbers.number IS NULL THEN numbers.n_orig
        ELSE above.upto_orig - COALESCE(under.upto_orig, 0)
    END AS n_level_within
FROM {{ numbers }} AS numbers
LEFT JOIN (
{{ caller().rstrip() }}
) AS own ON numbers.level_code = own.own_code
LEFT JOIN {{ numbers }} AS under ON own.below_code = under.level_code
LEFT JOIN {{ numbers }} AS above ON own.upto_code = above.level_code
{%- endmacro %}

{#- The records between the two ends of each row's interval, in every file, without joining pairs. Rows and ends are
    sorted together by code, and a running sum is read at each end. The difference of the two sums is the count, so the
    cost is n log n. The body of the call is a query, written for three turns: 0 for the rows, 1 for their lower and 2
    for their upper ends. Its columns are those of `own` (they identify a row) and of `apart` (they separate groups),
    `code` (of the row or the end), `turn`, and those of the macro records_at. `found` begins the names of the
    counts. -#}
{% macro between_ends(own, apart, found) %}
SELECT
{% call column_list() %}
    {{ own }},
{% for file in files %}
    {# unchanged by [= → >=]: 2 is the highest turn #}
    CAST(SUM(CASE WHEN turn = 2 THEN upto_{{ file.count }}
        ELSE -upto_{{ file.count }} END) AS BIGINT) AS {{ found }}_{{ file.count }},
{% endfor %}
{% endcall %}
FROM (
    SELECT
{% call column_list() %}
        {{ own }}, turn,
{% for file in files %}
        {{ running("SUM(here_" ~ file.count ~ ")", by="code, turn", within=apart) }} AS upto_{{ file.count }},
{% endfor %}
{% endcall %}
    FROM (
        {{ caller(0, "level_code").rstrip() | indent(8) }}
{% for turn, code in [(1, "below_code"), (2, "upto_code")] %}
        UNION ALL
        {{ caller(turn, code).rstrip() | indent(8) }}
{% endfor %}
    ) AS merged
) AS counted_upto
WHERE turn > 0
GROUP BY {{ own }}
{%- endmacro %}

{#- The records of every file at the code of a row. 0 for the rows of interval ends, which stand for no records. -#}
{% macro records_at(turn, table) %}
{% for file in files -%}
{% if turn %}0{% else %}{{ table }}.{{ file.count }}{% endif %} AS here_{{ file.count }}{{ ", " if not loop.last }}
{%- endfor %}
{%- endmacro %}
