{#- The levels of a target within the tolerance of each other. -#}

{#- The rows of a table of numbers whose level has a number: neither missing nor special. -#}
{% macro numbered() %}
FROM {{ numbers }} AS numbers WHERE number IS NOT NULL
{%- endmacro %}

{#- What is known of each level. The body of the call: a query of own_code, below_code, upto_code of each number. -#}
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
