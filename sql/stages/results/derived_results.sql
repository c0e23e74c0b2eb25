/*---
grain = "one row per target, comparison, population and weighting, with one measure that is computed from others"
reads = "pivot"
---*/
SELECT
    {{ measure_column.measure.name | literal }} AS measure, CAST({{ measure_column.at or "NULL" }} AS DOUBLE) AS point,
    target, comparison, population, weighted,
    {{ measure_column.derived("numerator") }} AS numerator, {{ measure_column.derived("denominator") }} AS denominator,
    CAST(NULL AS DOUBLE) AS plain,
    CAST({{ measure_column.measure.factor }} AS DOUBLE) AS factor
FROM (
    {{ pivot | indent(4) }}
) AS results
