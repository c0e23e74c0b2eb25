/*---
grain = "one row with the number of records of each file"
reads = "levels of the first key"
---*/
{% from "macros/select.sql" import column_list %}
SELECT
{% call column_list() %}
{% for file in files %}
    CAST(SUM(records_{{ file.number }}) AS BIGINT) AS {{ file.count }},
{% endfor %}
{% endcall %}
FROM (
    SELECT
{% call column_list() %}
{% for file in files %}
        {{ file.count }} AS records_{{ file.number }},
{% endfor %}
{% endcall %}
    FROM {{ levels }}
) AS levels
