/*---
grain = """\
one row per cell (a class and one level of the target), with the records of each file in the cell and in its class"""
reads = "members"
---*/
{% from "macros/counts.sql" import records_of, counts_of, count_records %}
{% from "macros/select.sql" import column_list %}
-- A class of one record is its own cell and needs no grouping. Most classes of personal data are like that.
{% set class_counts %}{{ counts_of(files, "_class") }}{% endset %}
{% set class_size %}{{ records_of(files, "", "_class") }}{% endset %}
SELECT
    {{ class_key }}, {{ target.id }} AS level_code, {{ class_counts }},
    {{ count_records(files) | indent(4) }}
FROM {{ members }}
WHERE {{ class_size }} > 1
GROUP BY {{ class_key }}, {{ target.id }}, {{ class_counts }}
UNION ALL
SELECT
{% call column_list() %}
    {{ class_key }}, {{ target.id }} AS level_code, {{ class_counts }},
{% for file in files %}
    {{ file.count_class }} AS {{ file.count }},
{% endfor %}
{% endcall %}
FROM {{ members }}
{# unchanged by [= → <=]: a class has a record #}
WHERE {{ class_size }} = 1
