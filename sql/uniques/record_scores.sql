/*---
grain = "one row per record, in the order of the file: its SUDA score, its DIS-SUDA, and each key's share of the score"
reads = "records, suda_scores, dis_suda"
---*/
SELECT
    records.record AS record,
    COALESCE(scored.score, 0) AS suda_score,
    COALESCE(scored.dis, 0) AS dis_suda,
{% for part in parts %}
    COALESCE(CAST(scored.points_{{ part.column.id }} AS DOUBLE) / NULLIF(CAST(scored.points AS DOUBLE), 0), 0) AS {{ names[part.column.id] }}{{ "," if not loop.last }}
{% endfor %}
FROM {{ records }} AS records
LEFT JOIN (
    SELECT
        {%+ for limb in limbs %}suda_scores.{{ limb.name }} AS {{ limb.name }}, {% endfor %}{% for part in parts %}suda_scores.points_{{ part.column.id }} AS points_{{ part.column.id }}, {% endfor %}{{ "" }}
        suda_scores.points AS points, suda_scores.suda_score AS score, dis_suda.dis_suda AS dis
    FROM {{ suda_scores }} AS suda_scores
    LEFT JOIN {{ dis_suda }} AS dis_suda ON suda_scores.points = dis_suda.points
) AS scored ON {% for limb in limbs %}{{ " AND " if not loop.first }}records.{{ limb.name }} = scored.{{ limb.name }}{% endfor %}{{ "" }}
ORDER BY records.record
