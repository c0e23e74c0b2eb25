/*---
grain = "one row per target, comparison, population and pass: the people, mean and squared deviations of one measure"
reads = "class_spreads, cell_spreads, within_spreads (the spreads of each pass)"
---*/
SELECT
    {{ tally.name }} AS measure, CAST({{ tally.at or "NULL" }} AS DOUBLE) AS point, target, comparison, population,
    {{ tally.column }}_n AS pass_n, {{ tally.column }}_mean AS pass_mean,
    {{ tally.column }}_deviations AS pass_deviations
FROM {{ spreads }}
{% if condition %}
WHERE {{ condition }}
{% endif %}
