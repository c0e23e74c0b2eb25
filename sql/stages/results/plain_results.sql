/*---
grain = "one row per target, comparison and population, with the minimum or maximum of one measure over all passes"
reads = "the totals of each pass"
---*/
SELECT
    {{ measure_column.measure.name | literal }} AS measure, CAST({{ measure_column.at or "NULL" }} AS DOUBLE) AS point,
    target, comparison, population,
    {{ weighted }} AS weighted,
    CAST(NULL AS DOUBLE) AS numerator, CAST(NULL AS DOUBLE) AS denominator,
    CAST({{ measure_column.combined.value }} AS DOUBLE) AS plain,
    CAST({{ measure_column.measure.factor }} AS DOUBLE) AS factor
FROM {{ parts }}
{% if condition %}
WHERE {{ condition }}
{% endif %}
GROUP BY target, comparison, population
