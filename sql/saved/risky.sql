/*---
grain = "one row per synthesis and cell (or class) that makes a measure, with readable levels"
reads = "compared_cells or compared_classes, labels"
---*/
{% from "macros/select.sql" import union_all %}
{% call union_all() %}
{% for part in parts %}
SELECT
    {{ part.synthesis }} AS synthesis,
{% if part.target %}
    {{ part.target_name }} AS target,
{% endif %}
{% for key in keys %}
    {{ key.table }}.level AS {{ key.name }},
{% endfor %}
{% if part.target %}
    CAST(label_target.level AS VARCHAR) AS level,
    cells.n_orig AS n_orig, cells.n_syn AS n_syn, cells.n_orig_class AS n_orig_class, cells.n_syn_class AS n_syn_class
{% else %}
    cells.n_orig AS n_orig, cells.n_syn AS n_syn
{% endif %}
FROM (
    SELECT *
    FROM (
        {{ part.compared | indent(8) }}
    ) AS compared
    WHERE ({{ risky }}) AND {{ counted }} > 0
) AS cells
{% for key in keys %}
JOIN {{ key.table }} ON {{ key.digit }} = {{ key.table }}.digit
{% endfor %}
{% if part.target %}
JOIN {{ part.target }} AS label_target ON cells.level_code = label_target.code
{% endif %}
UNION ALL
{% endfor %}
{% endcall %}
