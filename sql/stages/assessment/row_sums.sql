/*---
grain = "one row per different row (or record) in a sample: the numbers that stand for all of it, as a sum of its parts"
reads = "row_hashes"
---*/
{% from "macros/select.sql" import column_list, union_all %}
SELECT
{% call column_list() %}
    row_number,
{% for name in sums %}
    CAST(SUM({{ name }}) AS BIGINT) AS {{ name }},
{% endfor %}
{% endcall %}
FROM (
{% call union_all() %}
{% for part in parts %}
    SELECT row_number, {{ sums | join(", ") }} FROM {{ part }} AS hashes
    UNION ALL
{% endfor %}
{% endcall %}
) AS parts
GROUP BY row_number
