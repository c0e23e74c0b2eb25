/*---
grain = """\
one row per run of neighboring keys, combination of their levels and level of one target, with the number of records \
of each file"""
reads = "records"
---*/
{% from "macros/select.sql" import column_list, union_all %}
-- Reading the records costs more than summing some groups again. So neighboring keys are counted together if they have
-- few combinations, and key_counts adds these up for each key.
{% call union_all() %}
{% for key_run in key_runs %}
SELECT
{% call column_list() %}
    {{ key_run.number }} AS run_number, digits, level_code,
{% for file in files %}
    COUNT(CASE WHEN file = {{ file.number }} THEN 1 END) AS records_{{ file.number }},
{% endfor %}
{% endcall %}
FROM (
    SELECT file, {{ key_run.digits }} AS digits, {{ target.id }} AS level_code
    FROM {{ records }}
) AS run_{{ key_run.number }}
GROUP BY digits, level_code
UNION ALL
{% endfor %}
{% endcall %}
