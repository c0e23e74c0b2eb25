/*---
grain = """\
one row per change (a column left out, numbers rounded) and changed row, with the number of records of each file"""
reads = "row_hashes"
---*/
{% from "macros/counts.sql" import counts_of %}
{% from "macros/select.sql" import column_list, union_all %}
SELECT
{% call column_list() %}
    change, rest,
{% for file in files %}
    CAST(SUM({{ file.count }}) AS BIGINT) AS {{ file.count }},
{% endfor %}
{% endcall %}
FROM (
{% call union_all() %}
{% for change in changes %}
    SELECT
        {{ change.number }} AS change, {{ change.rest }} AS rest, {{ counts_of(files) }}
    FROM {{ hashes }} AS hashes
    {# unchanged by [= → >=]: a flag is 0 or 1 #}
    WHERE {{ change.sample.flag }} = 1
    UNION ALL
{% endfor %}
{% endcall %}
) AS changed
GROUP BY change, rest
