/*---
grain = "one row per target, comparison, reason, side and pass, with the cells and records that are not counted"
reads = "compared_cells"
---*/
{% from "macros/select.sql" import union_all %}
{% from "macros/together.sql" import place, by_place with context %}
{% call union_all() %}
{% for side in ["orig", "syn"] %}
SELECT
    {{ place() }},
    '{{ "original" if side == "orig" else "synthetic" }}' AS side, excluded_{{ side }} AS reason,
    COUNT(*) AS cells, CAST(SUM(n_{{ side }}) AS BIGINT) AS records
FROM (
    {{ compared | indent(4) }}
) AS cells_{{ side }}
WHERE excluded_{{ side }} IS NOT NULL AND n_{{ side }} > 0
GROUP BY excluded_{{ side }}{{ by_place(", ") }}
UNION ALL
{% endfor %}
{% endcall %}
