/*---
grain = "one row per distinct row (or record) of a sample, with the hash of the whole row: the sum over its parts"
reads = "part_sums"
---*/
{% from "macros/select.sql" import column_list %}
SELECT
{% call column_list() %}
    row_number,
{% for name in sums %}
    CAST(SUM({{ name }}) AS BIGINT) AS {{ name }},
{% endfor %}
{% endcall %}
FROM {{ parts }} AS parts
GROUP BY row_number
