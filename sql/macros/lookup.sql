{% from "macros/numbers.sql" import quotient %}
{#- The target levels of the records of each synthesis that are nearest to what an intruder knows. The body of the call
    is a query of (target, comparison, distance, level, records). -#}
{% macro nearest_levels() %}
WITH counted AS (
{{ caller().rstrip() }}
), ranked AS (
    SELECT
        target, comparison, distance, level, records,
        MIN(distance) OVER (PARTITION BY target, comparison) AS smallest
    FROM counted
)
SELECT
    {# unchanged by [radius → n_orig]: the columns are read by position #}
    target, comparison, distance AS radius, level, records,
    {{ quotient("100 * records", "SUM(records) OVER (PARTITION BY target, comparison)") }} AS percent
FROM ranked
{# unchanged by [= → <=]: no value is below the minimum #}
WHERE distance = smallest
{%- endmacro %}
