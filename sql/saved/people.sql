/*---
grain = "one row per person of the original: the record's number, and its keys and targets as a person reads them"
reads = "records, labels"
---*/
{% from "macros/select.sql" import column_list %}
SELECT
{% call column_list() %}
    records.record AS {{ record }},
{% for column in columns %}
    {{ column.table }}.level AS {{ column.name }},
{% endfor %}
{% endcall %}
FROM records
{% for column in columns %}
JOIN {{ column.table }} ON {{ column.digit }} = {{ column.table }}.{{ column.by }}
{% endfor %}
WHERE records.file = 0
