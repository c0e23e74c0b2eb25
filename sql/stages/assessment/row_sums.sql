/*---
grain = "one row per different row (or record) in a sample: the numbers that stand for all of it, as a sum of its parts"
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
