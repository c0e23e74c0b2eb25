/*---
grain = "one row per target, comparison and population, counted or weighted: one measure that is made of others"
reads = "pivot"
---*/
SELECT
    {{ tally.name }} AS measure, CAST({{ tally.at or "NULL" }} AS DOUBLE) AS point, target, comparison, population,
    weighted,
    {{ tally.numerator }} AS numerator, {{ tally.denominator }} AS denominator, CAST(NULL AS DOUBLE) AS plain,
    CAST({{ tally.measure.factor }} AS DOUBLE) AS factor
FROM (
    {{ pivot | indent(4) }}
) AS results
