/*---
grain = "one row per measure, point, target, comparison and population, counted or weighted"
reads = "class_parts, cell_parts (the totals of each pass); pivot"
---*/
-- The one place where a percentage is made. A denominator of 0 gives NULL, never 0.
SELECT
    measure, point, target, comparison, population, weighted, numerator, denominator,
    COALESCE(plain, factor * CAST(numerator AS DOUBLE) / NULLIF(CAST(denominator AS DOUBLE), 0)) AS value
FROM (
{% for tally in tallies %}
    SELECT
        {{ tally.name }} AS measure, CAST({{ tally.at or "NULL" }} AS DOUBLE) AS point, target, comparison, population,
        {{ "weighted" if tally.measure.stage == "results" else ledger.weighted | int ~ " AS weighted" }},
{% if tally.measure.stage == "results" %}
        {{ tally.numerator }} AS numerator, {{ tally.denominator }} AS denominator, CAST(NULL AS DOUBLE) AS plain,
{% elif "value" in tally.measure.aggregates %}
        CAST(NULL AS DOUBLE) AS numerator, CAST(NULL AS DOUBLE) AS denominator, CAST(MAX({{ tally.column }}_value) AS DOUBLE) AS plain,
{% else %}
        CAST(SUM({{ tally.column }}_numerator) AS DOUBLE) AS numerator, CAST(SUM({{ tally.column }}_denominator) AS DOUBLE) AS denominator, CAST(NULL AS DOUBLE) AS plain,
{% endif %}
        CAST({{ tally.measure.factor }} AS DOUBLE) AS factor
{% if tally.measure.stage == "results" %}
    FROM (
        {{ pivot | indent(8) }}
    ) AS results
{% else %}
    FROM {{ ledger.parts(tally.measure.stage) }}
{% if tally.measure.needs != "weights" and not ledger.everybody %}
    WHERE population <> 0
{% endif %}
    GROUP BY target, comparison, population
{% endif %}
{% if not loop.last %}
    UNION ALL
{% endif %}
{% endfor %}
) AS fractions
