/*---
grain = """\
one row per record, in the order of the file, with its SUDA score, its DIS-SUDA, and each key's share of the score"""
reads = "records, suda_scores, dis_suda"
---*/
{% from "macros/class_key.sql" import class_key_of, same_class with context %}
{% from "macros/numbers.sql" import share %}
{% from "macros/select.sql" import column_list %}
SELECT
{% call column_list() %}
    records.record AS record,
    COALESCE(scored.score, 0) AS suda_score,
    COALESCE(scored.dis, 0) AS dis_suda,
{% for part in parts %}
    COALESCE({{ share("scored.points_" ~ part.column.id, "scored.points") }}, 0) AS {{ names[part.column.id] }},
{% endfor %}
{% endcall %}
FROM {{ records }} AS records
LEFT JOIN (
    SELECT
        {{ class_key_of("suda_scores") }},
{% for part in parts %}
        suda_scores.points_{{ part.column.id }} AS points_{{ part.column.id }},
{% endfor %}
        suda_scores.points AS points, suda_scores.suda_score AS score, dis_suda.dis_suda AS dis
    FROM {{ suda_scores }} AS suda_scores
    LEFT JOIN {{ dis_suda }} AS dis_suda ON suda_scores.points = dis_suda.points
) AS scored ON {{ same_class("records", "scored") }}
{% if ordered %}
ORDER BY records.record
{% endif %}
