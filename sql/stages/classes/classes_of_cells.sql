/*---
grain = "one row per class: the records of every file with the same key levels"
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
{# unchanged by [= → >=]: it is 0 or 1 #}
WHERE least_level = 1
