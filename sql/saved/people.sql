/*---
grain = "one row per person of the original, with the record's number and readable keys and targets"
reads = "records, labels"
---*/
{% from "macros/select.sql" import column_list %}
SELECT
{% call column_list() %}
    records.record AS {{ record }},
{% for labels, name, digit, by in columns %}
    {{ labels }}.level AS {{ name }},
{% endfor %}
{% endcall %}
FROM records
{% for labels, name, digit, by in columns %}
JOIN {{ labels }} ON {{ digit }} = {{ labels }}.{{ by }}
{% endfor %}
{# unchanged by [= → <=]: the original is file 0, the lowest number #}
WHERE records.file = 0
