/*---
grain = """\
one row per value of one column, with its code in the order of the column's categories, else by sorted value; 0 is \
the missing level"""
reads = "values, the order that files have for their values"
---*/
{% from "macros/select.sql" import column_list, each_of %}
{% set place = column.place ~ ", " if column.order else "" %}
SELECT
{% call column_list() %}
    value,
    CASE
        WHEN value IS NULL THEN 0
        {# unchanged by [1 → 2]: a missing value has code 0, whatever its place in the order #}
        {# unchanged by [1 → 0], [0 → 1]: DuckDB sorts missing values last by itself #}
        ELSE CAST(ROW_NUMBER() OVER (ORDER BY CASE WHEN value IS NULL THEN 1 ELSE 0 END, {{ place }}value) AS INTEGER)
    END AS code,
    {{ each_of(files, "{0.count}") }}
{% endcall %}
FROM {{ values }} AS counted
{% if column.order %}
LEFT JOIN {{ column.order_table }} AS level_places ON value = CAST(level AS {{ column.type }})
{% endif %}
