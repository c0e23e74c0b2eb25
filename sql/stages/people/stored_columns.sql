/*---
grain = "one row per record of the chosen files, with columns of its file as they are read"
reads = "one file"
---*/
{% from "macros/select.sql" import column_list, union_all %}
{% call union_all() %}
{% for file in files %}
SELECT
{% call column_list() %}
    {{ file.number }} AS own_file, {{ file.record }} AS own_record,
{% for column in columns %}
    {{ column }} AS stored_{{ loop.index }},
{% endfor %}
{% endcall %}
FROM {{ file.relation }}
UNION ALL
{% endfor %}
{% endcall %}
