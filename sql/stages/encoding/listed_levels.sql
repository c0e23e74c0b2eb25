/*---
grain = "one row, with a list of the levels of each of some columns, in the order of their codes"
reads = "levels"
---*/
{% from "macros/select.sql" import column_list, joined_by %}
-- Only DuckDB reads these, for files of many columns.
SELECT
{% call column_list() %}
{% for column in columns %}
    {{ column.id }}_levels,
{% endfor %}
{% endcall %}
FROM
{% call joined_by("CROSS JOIN") %}
{% for column in columns %}
    (
        SELECT LIST(value ORDER BY code) AS {{ column.id }}_levels
        FROM {{ levels[column.id] }}
        WHERE code > 0
    ) AS of_{{ column.id }}
    CROSS JOIN
{% endfor %}
{% endcall %}
