/*---
grain = "one row per target, comparison, population and pass, with the numerator and denominator of every measure"
reads = """\
compared_classes, drawn_rows, distinct_cells, guessed_cells, profiles, ordered_classes, within, predicate_counts or \
thresholds"""
---*/
{% from "macros/select.sql" import column_list %}
{% from "macros/together.sql" import place, by_place with context %}
SELECT
{% call column_list() %}
    {{ place() }},
{% for measure_column in measure_columns %}
{% for side, expression in measure_column.aggregates %}
    {{ expression }} AS {{ measure_column.column }}_{{ side }},
{% endfor %}
{% endfor %}
{% endcall %}
FROM (
    {{ compared | indent(4) }}
) AS {{ stage }}
{{ by_place("GROUP BY ") }}
