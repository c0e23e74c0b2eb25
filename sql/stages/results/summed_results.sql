/*---
grain = """\
one row per target, comparison and population, with the numerator and denominator of one measure summed over the \
passes"""
reads = "the totals of each pass"
---*/
SELECT
    {{ measure_column.measure.name | literal }} AS measure, CAST({{ measure_column.at or "NULL" }} AS DOUBLE) AS point,
    target, comparison, population,
    {{ weighted }} AS weighted,
    CAST({{ measure_column.combined.numerator }} AS DOUBLE) AS numerator,
    CAST({{ measure_column.combined.denominator }} AS DOUBLE) AS denominator, CAST(NULL AS DOUBLE) AS plain,
    CAST({{ measure_column.measure.factor }} AS DOUBLE) AS factor
FROM {{ parts }}
{% if condition %}
WHERE {{ condition }}
{% endif %}
GROUP BY target, comparison, population
