/*---
grain = """\
one row per value of one date column, with its year, quarter or month as its level (none if it is no date)"""
reads = "uncoded"
---*/
{% from "macros/counts.sql" import counts_of %}
{% from "macros/days.sql" import day_in %}
SELECT
    value,
{% if recode.date != "quarter" %}
    SUBSTR(day, 1, {{ {"year": 4, "month": 7}[recode.date] }}) AS label,
{% else %}
    SUBSTR(day, 1, 4) || CASE
        WHEN SUBSTR(day, 6, 2) IN ('01', '02', '03') THEN '-Q1'
        WHEN SUBSTR(day, 6, 2) IN ('04', '05', '06') THEN '-Q2'
        WHEN SUBSTR(day, 6, 2) IN ('07', '08', '09') THEN '-Q3'
        ELSE '-Q4'
    END AS label,
{% endif %}
    low, high, {{ counts_of(files) }}
FROM (
    SELECT value, {{ day_in(column) | indent(8) }} AS day, low, high, {{ counts_of(files) }}
    FROM {{ values }} AS uncoded
) AS days
