/*---
grain = """\
one row per target, comparison and population: numerator and denominator of one measure, summed over the passes"""
reads = "the totals of each pass"
---*/
SELECT
    {{ tally.name }} AS measure, CAST({{ tally.at or "NULL" }} AS DOUBLE) AS point, target, comparison, population,
    {{ weighted }} AS weighted,
    CAST({{ tally.combined.numerator }} AS DOUBLE) AS numerator,
    CAST({{ tally.combined.denominator }} AS DOUBLE) AS denominator, CAST(NULL AS DOUBLE) AS plain,
    CAST({{ tally.measure.factor }} AS DOUBLE) AS factor
FROM {{ parts }}
{% if condition %}
WHERE {{ condition }}
{% endif %}
GROUP BY target, comparison, population
