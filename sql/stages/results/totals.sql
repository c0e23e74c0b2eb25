/*---
grain = "one row per target, comparison, population and pass: numerator and denominator of every measure, in one scan"
reads = "compared_classes, distinct_cells, profiles or within"
---*/
{% from "macros/select.sql" import column_list %}
SELECT
{% call column_list() %}
    {{ target_number }} AS target,
    {{ comparison.number }} AS comparison,
    {{ "population" if population_counts else "0 AS population" }},
{% for measure_column in measure_columns %}
{% for side, expression in measure_column.aggregates %}
    {{ expression }} AS {{ measure_column.column }}_{{ side }},
{% endfor %}
{% endfor %}
{% endcall %}
FROM (
    {{ compared | indent(4) }}
) AS {{ stage }}
{% if population_counts %}
GROUP BY population
{% endif %}
