/*---
grain = """\
one row with the greatest possible number of empty records of each file, from the missing values of single columns"""
reads = "levels"
---*/
{% from "macros/counts.sql" import counts_of %}
{% from "macros/nothing.sql" import said %}
{% from "macros/select.sql" import column_list, union_all %}
SELECT
{% call column_list() %}
{% for file in files %}
    MIN(silent_{{ file.number }}) AS at_most_{{ file.number }},
{% endfor %}
{% endcall %}
FROM (
{% call union_all() %}
{% for entry in entries %}
    SELECT
{% call column_list() %}
{% for file in files %}
        CAST(SUM(CASE WHEN said IS NULL THEN {{ file.count }} ELSE 0 END) AS BIGINT) AS silent_{{ file.number }},
{% endfor %}
{% endcall %}
    FROM (
        SELECT {{ said("value", entry.is_text, blanks) }} AS said, {{ counts_of(files) }}
        FROM {{ entry.levels }} AS levels
    ) AS of_column
    UNION ALL
{% endfor %}
{% endcall %}
) AS of_columns
