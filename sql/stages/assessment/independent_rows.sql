/*---
grain = "one row: the chance that a record of independent columns, each with the original's shares, is the row of a person"
reads = "distinct_rows"
---*/
{% from "macros/select.sql" import joined_by %}
SELECT COALESCE(SUM(chance), 0) AS independent
FROM (
    SELECT
{% call joined_by(" *") %}
{% for column in columns %}
        CAST(SUM({{ original.count }}) OVER (PARTITION BY {{ column.id }}) AS DOUBLE) / SUM({{ original.count }}) OVER () *
{% endfor %}
{% endcall %}
        AS chance
    FROM {{ rows }} AS counted
    WHERE {{ original.count }} > 0
) AS chances
