/*---
grain = "one row per class, with the number of records of each file"
reads = "windowed_cells"
---*/
{% from "macros/select.sql" import column_list %}
SELECT
{% call column_list() %}
    {{ class_key }},
{% for file in files %}
    {{ file.count_class }} AS {{ file.count }},
{% endfor %}
{% endcall %}
FROM {{ cells }}
{# unchanged by [= → >=]: the value is 0 or 1 #}
WHERE least_level = 1
