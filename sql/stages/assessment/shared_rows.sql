/*---
grain = "one row per record of one file, with its whole row (see distinct_rows), and 1 in the count of its file"
reads = "the files"
---*/
{% from "macros/select.sql" import column_list %}
SELECT
{% call column_list() %}
{% for column in columns %}
    {{ column.value_in(file) }} AS {{ column.id }},
{% endfor %}
{% for other in files %}
    {{ 1 if other.number == file.number else 0 }} AS {{ other.count }},
{% endfor %}
{% endcall %}
FROM {{ file.relation }}
