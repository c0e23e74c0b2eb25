/*---
grain = "one row per measure, point, target, comparison and population, counted or weighted"
reads = "class_parts, cell_parts, profile_parts, within_parts (the totals of each pass); pivot"
---*/
{% from "macros/numbers.sql" import share %}
{% from "macros/select.sql" import union_all %}
-- The one place where a percentage is made. A denominator of 0 gives NULL, never 0. The parts of several passes are
-- summed; what is least (MIN) or most (MAX) of each is so of all, and what counts the least is summed over the parts
-- that have it.
SELECT
    measure, point, target, comparison, population, weighted, numerator, denominator,
    COALESCE(factor * plain, factor * {{ share("numerator", "denominator") }}) AS value
FROM (
{% call union_all() %}
{% for tally in tallies %}
    SELECT
        {{ tally.name }} AS measure, CAST({{ tally.at or "NULL" }} AS DOUBLE) AS point, target, comparison, population,
        {{ "weighted" if tally.measure.stage == "results" else ledger.weighted | int ~ " AS weighted" }},
{% if tally.measure.stage == "results" %}
        {{ tally.numerator }} AS numerator, {{ tally.denominator }} AS denominator, CAST(NULL AS DOUBLE) AS plain,
{% elif "value" in tally.measure.aggregates %}
        CAST(NULL AS DOUBLE) AS numerator, CAST(NULL AS DOUBLE) AS denominator,
        CAST({% if "least" in tally.measure.aggregates %}SUM(CASE
            WHEN {{ tally.column }}_least = least_of_all THEN {{ tally.column }}_value END){% else %}{{ tally.combined.value }}{% endif %} AS DOUBLE) AS plain,
{% else %}
        CAST({{ tally.combined.numerator }} AS DOUBLE) AS numerator,
        CAST({{ tally.combined.denominator }} AS DOUBLE) AS denominator, CAST(NULL AS DOUBLE) AS plain,
{% endif %}
        CAST({{ tally.measure.factor }} AS DOUBLE) AS factor
{% if tally.measure.stage == "results" %}
    FROM (
        {{ pivot | indent(8) }}
    ) AS results
{% else %}
{% if "least" in tally.measure.aggregates %}
    FROM (
        SELECT
            target, comparison, population, {{ tally.column }}_least, {{ tally.column }}_value,
            MIN({{ tally.column }}_least) OVER (PARTITION BY target, comparison, population) AS least_of_all
        FROM {{ ledger.parts(tally.measure.stage) }}
    ) AS parts
{% else %}
    FROM {{ ledger.parts(tally.measure.stage) }}
{% endif %}
{% if tally.measure.needs != "weights" and not ledger.everybody %}
    WHERE population <> 0
{% endif %}
    GROUP BY target, comparison, population
{% endif %}
    UNION ALL
{% endfor %}
{% endcall %}
) AS fractions
