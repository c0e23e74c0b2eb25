/*---
grain = "one row per key, level of the key and level of one target, with the number of records of each file"
reads = "key_run_counts"
---*/
{% from "macros/select.sql" import column_list, union_all %}
{% call union_all() %}
{% for key_run in key_runs %}
{% for part in key_run.parts %}
SELECT
{% call column_list() %}
    {{ part.column.number }} AS key_number, digit, level_code,
{% for file in files %}
    CAST(SUM(records_{{ file.number }}) AS BIGINT) AS {{ file.count }},
{% endfor %}
{% endcall %}
FROM (
    SELECT
{% call column_list() %}
        {{ part.digit_in("digits") }} AS digit, level_code,
{% for file in files %}
        records_{{ file.number }},
{% endfor %}
{% endcall %}
    FROM {{ key_run_counts }}
    WHERE run_number = {{ key_run.number }}
) AS key_{{ part.column.number }}
GROUP BY digit, level_code
UNION ALL
{% endfor %}
{% endfor %}
{% endcall %}
