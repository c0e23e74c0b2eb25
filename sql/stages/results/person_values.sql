/*---
grain = "one row per class or cell that a measure reads, with its people and one person's value in every mean"
reads = "compared_classes, distinct_cells or within"
---*/
{% from "macros/select.sql" import column_list %}
SELECT
{% call column_list() %}
{% for name in by %}
    {{ name }},
{% endfor %}
{% for measure_column in measure_columns %}
    {{ measure_column.among }} AS people{{ of }}_{{ loop.index }},
    {{ measure_column.counted }} AS counted{{ of }}_{{ loop.index }},
    {{ measure_column.each }} AS each_{{ loop.index }},
{% endfor %}
{% endcall %}
FROM (
    {{ compared | indent(4) }}
) AS {{ stage }}
