/*---
grain = "one row with each key's percentage of the SUDA points of all records"
reads = "suda_scores"
---*/
{% from "macros/numbers.sql" import share %}
{% from "macros/select.sql" import column_list %}
SELECT
{% call column_list() %}
{% for part in parts %}
    100 * {{ share("SUM(CAST(points_" ~ part.column.id ~ " AS DOUBLE))", "SUM(CAST(points AS DOUBLE))") }}
        AS percent_{{ part.column.id }},
{% endfor %}
{% endcall %}
FROM {{ suda_scores }} AS suda_scores
