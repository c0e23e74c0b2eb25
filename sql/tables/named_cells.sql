/*---
grain = """\
one row per synthesis and cell of each target (or class), with readable levels and the counts that measures read"""
reads = "compared_cells or compared_classes, labels"
---*/
{% from "macros/select.sql" import column_list, union_all %}
{% from "macros/together.sql" import of_its_comparison %}
{% call union_all() %}
{% for target, shown, compared in parts %}
SELECT
{% call column_list() %}
    {% call(comparison) of_its_comparison(comparisons) %}{{ comparison.label | literal }}{% endcall %} AS synthesis,
{% if target %}
    {{ target.name | literal }} AS target,
{% endif %}
{% for each in shown %}
{% for name, value in each.columns.items() %}
    {{ value }} AS {{ name }},
{% endfor %}
{% endfor %}
{% for name in counts %}
    compared.{{ name }} AS {{ name }},
{% endfor %}
{% endcall %}
FROM (
    {{ compared | indent(4) }}
) AS compared
{% for each in shown %}
JOIN (
    {{ each.labels | indent(4) }}
) AS {{ each.alias }} ON {{ each.digit }} = {{ each.code }}
{% endfor %}
UNION ALL
{% endfor %}
{% endcall %}
