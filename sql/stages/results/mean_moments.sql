/*---
grain = "one row per target, comparison, population and pass, with people, mean and squared deviations of one measure"
reads = "class_moments, cell_moments, within_moments (the moments of each pass)"
---*/
SELECT
    {{ measure_column.measure.name | literal }} AS measure, CAST({{ measure_column.at or "NULL" }} AS DOUBLE) AS point,
    target, comparison, population,
    {{ measure_column.column }}_n AS pass_n, {{ measure_column.column }}_mean AS pass_mean,
    {{ measure_column.column }}_deviations AS pass_deviations
FROM {{ moments }}
{% if condition %}
WHERE {{ condition }}
{% endif %}
