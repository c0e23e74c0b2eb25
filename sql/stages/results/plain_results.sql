/*---
grain = """\
one row per target, comparison and population: the value of one measure that is the least or most of all passes"""
reads = "the totals of each pass"
---*/
SELECT
    {{ tally.name }} AS measure, CAST({{ tally.at or "NULL" }} AS DOUBLE) AS point, target, comparison, population,
    {{ weighted }} AS weighted,
    CAST(NULL AS DOUBLE) AS numerator, CAST(NULL AS DOUBLE) AS denominator,
    CAST({{ tally.combined.value }} AS DOUBLE) AS plain,
    CAST({{ tally.measure.factor }} AS DOUBLE) AS factor
FROM {{ parts }}
{% if condition %}
WHERE {{ condition }}
{% endif %}
GROUP BY target, comparison, population
