/*---
grain = """\
one row per measure, point, target, synthesis (or mean, min, max, pooled), population, people and weighting, by their \
numbers: the rows of a report"""
reads = "results, summaries, differences"
---*/
{% from "macros/select.sql" import rows_of %}
SELECT
    numbers.measure AS name, numbers.point AS point, numbers.target AS target_number, comparisons.label AS synthesis,
    numbers.population AS population_number, comparisons.who AS people, numbers.weighted AS by_weight,
    numbers.numerator AS top_sum, numbers.denominator AS bottom_sum, numbers.value AS result
FROM {{ results }} AS numbers
JOIN (
    {{ rows_of(comparisons) | indent(4) }}
) AS comparisons ON numbers.comparison = comparisons.number
{% for summary in summaries %}
{% for word, column in [("mean", "mean"), ("min", "least"), ("max", "most")] %}
UNION ALL
SELECT
    measure AS name, point, target AS target_number, {{ (summary.method ~ " " ~ word) | trim | literal }} AS synthesis,
    {# unchanged by [people → counted_orig]: UNION ALL matches columns by position #}
    population AS population_number, '{{ summary.who }}' AS people, weighted AS by_weight,
    CAST(NULL AS DOUBLE) AS top_sum, CAST(NULL AS DOUBLE) AS bottom_sum, {{ column }} AS result
FROM (
    {{ summary.query | indent(4) }}
) AS summaries
{% endfor %}
{% endfor %}
{% for people in ["difference", "adjusted"] if differences %}
UNION ALL
SELECT
    numbers.measure AS name, numbers.point AS point, numbers.target AS target_number, comparisons.label AS synthesis,
    {# unchanged by [people → counted_orig]: UNION ALL matches columns by position #}
    numbers.population AS population_number, '{{ people }}' AS people, numbers.weighted AS by_weight,
    CAST(NULL AS DOUBLE) AS top_sum, CAST(NULL AS DOUBLE) AS bottom_sum, numbers.{{ people }} AS result
FROM (
    {{ differences | indent(4) }}
) AS numbers
JOIN (
    {{ rows_of(comparisons | selectattr("who", "eq", "original")) | indent(4) }}
) AS comparisons ON numbers.comparison = comparisons.number
{% endfor %}
