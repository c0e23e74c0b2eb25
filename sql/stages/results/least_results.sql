/*---
grain = """\
one row per target, comparison and population, with one measure: how often the minimum over all passes occurs"""
reads = "the totals of each pass"
---*/
SELECT
    {{ measure_column.measure.name | literal }} AS measure, CAST({{ measure_column.at or "NULL" }} AS DOUBLE) AS point,
    target, comparison, population,
    {{ weighted }} AS weighted,
    CAST(NULL AS DOUBLE) AS numerator, CAST(NULL AS DOUBLE) AS denominator,
    CAST(
        {# unchanged by [= → <=]: no value is below the minimum #}
        SUM(CASE WHEN {{ measure_column.column }}_least = least_of_all
            THEN {{ measure_column.column }}_value END) AS DOUBLE
    ) AS plain,
    CAST({{ measure_column.measure.factor }} AS DOUBLE) AS factor
FROM (
    SELECT
        target, comparison, population, {{ measure_column.column }}_least, {{ measure_column.column }}_value,
        MIN({{ measure_column.column }}_least) OVER (PARTITION BY target, comparison, population) AS least_of_all
    FROM {{ parts }}
) AS parts
{% if condition %}
WHERE {{ condition }}
{% endif %}
GROUP BY target, comparison, population
