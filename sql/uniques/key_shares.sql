/*---
grain = "one row: each key's share of the SUDA scores of all records, in percent"
reads = "suda_scores"
---*/
SELECT
{% for part in parts %}
    100 * CAST(SUM(CAST(points_{{ part.column.id }} AS DOUBLE)) AS DOUBLE) / NULLIF(CAST(SUM(CAST(points AS DOUBLE)) AS DOUBLE), 0) AS percent_{{ part.column.id }}{{ "," if not loop.last }}
{% endfor %}
FROM {{ suda_scores }} AS suda_scores
