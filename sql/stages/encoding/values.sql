/*---
grain = "one row per distinct value of one column over all files; NULL (and NaN) is a value"
reads = "the files"
---*/
{% from "macros/select.sql" import column_list, union_all %}
{# DuckDB makes a dictionary part by part if its memory is too small for the whole. #}
{% set in_part = " WHERE HASH(value) % " ~ parts ~ " = " ~ part if parts else "" %}
SELECT
{% call column_list() %}
    value,
{% for file in files %}
    {# unchanged by [SUM → MAX]: a file has a value in one row #}
    CAST(SUM(CASE WHEN file = {{ file.number }} THEN n ELSE 0 END) AS BIGINT) AS {{ file.count }},
{% endfor %}
{% endcall %}
FROM (
{% call union_all() %}
{% for file in files %}
    SELECT value, {{ file.number }} AS file, COUNT(*) AS n
    FROM (SELECT {{ column.value_in(file) }} AS value FROM {{ file.relation }}) AS source_{{ file.number }}{{ in_part }}
    GROUP BY value
    UNION ALL
{% endfor %}
{% endcall %}
) AS per_file
GROUP BY value
