/*---
grain = "one row: each key's share of the SUDA scores of all records, in percent"
reads = "suda_scores"
---*/
{% from "macros/select.sql" import column_list %}
SELECT
{% call column_list() %}
{% for part in parts %}
    100 * CAST(SUM(CAST(points_{{ part.column.id }} AS DOUBLE)) AS DOUBLE) / NULLIF(CAST(SUM(CAST(points AS DOUBLE)) AS DOUBLE), 0) AS percent_{{ part.column.id }},
{% endfor %}
{% endcall %}
FROM {{ suda_scores }} AS suda_scores
