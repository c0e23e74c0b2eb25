/*---
grain = "one row per different row over the columns that all files have: how many records of each file are like it"
reads = "shared_rows or sampled_rows"
---*/
{% from "macros/rows.sql" import in_sample %}
{% from "macros/select.sql" import column_list %}
SELECT
{% call column_list() %}
    ROW_NUMBER() OVER (ORDER BY SUM({{ files[0].count }})) AS row_number,
{% for column in columns %}
    {{ column.id }},
{% endfor %}
{% for file in files %}
    CAST(SUM({{ file.count }}) AS BIGINT) AS {{ file.count }},
{% endfor %}
{% endcall %}
FROM {{ rows }} AS shared
WHERE {{ in_sample(sample) }}
GROUP BY
{% call column_list() %}
{% for column in columns %}
    {{ column.id }},
{% endfor %}
{% endcall %}
