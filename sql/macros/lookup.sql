{% from "macros/numbers.sql" import quotient %}
{#- The target levels of the records of one synthesis that are nearest to what an intruder knows. The body of the call
    is a query of (distance, level, records). -#}
{% macro nearest_levels(target, comparison) %}
SELECT
    {# unchanged by [radius → n_orig]: UNION ALL matches columns by position #}
    {{ target }} AS position, {{ comparison }} AS comparison, distance AS radius, level, records,
    {{ quotient("100 * records", "SUM(records) OVER ()") }} AS percent
FROM (
    SELECT distance, level, records, MIN(distance) OVER () AS smallest
    FROM (
{{ caller().rstrip() }}
    ) AS counted_{{ target }}_{{ comparison }}
) AS ranked_{{ target }}_{{ comparison }}
{# unchanged by [= → <=]: no value is below the minimum #}
WHERE distance = smallest
{% endmacro %}
