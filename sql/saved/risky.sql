/*---
grain = "one row per synthesis and cell (or class) that a measure counts, with readable levels"
reads = "compared_cells or compared_classes, labels"
---*/
{% from "macros/select.sql" import union_all %}
{% call union_all() %}
{% for comparison, target, compared in parts %}
SELECT
    {{ comparison.label | literal }} AS synthesis,
{% if target %}
    {{ target.name | literal }} AS target,
{% endif %}
{% for labels, name, digit in keys %}
    {{ labels }}.level AS {{ name }},
{% endfor %}
{% if target %}
    CAST(label_target.level AS VARCHAR) AS level,
    cells.n_orig AS n_orig, cells.n_syn AS n_syn, cells.n_orig_class AS n_orig_class, cells.n_syn_class AS n_syn_class
{% else %}
    cells.n_orig AS n_orig, cells.n_syn AS n_syn
{% endif %}
FROM (
    {{ compared | indent(4) }}
) AS cells
{% for labels, name, digit in keys %}
JOIN {{ labels }} ON {{ digit }} = {{ labels }}.digit
{% endfor %}
{% if target %}
JOIN labels_{{ target.id }} AS label_target ON cells.level_code = label_target.code
{% endif %}
WHERE ({{ risky }}) AND {{ counted }} > 0
UNION ALL
{% endfor %}
{% endcall %}
