/*---
grain = """\
one row per value of one date column, with the age in full years on a given day as its level (none if it is no date)"""
reads = "uncoded"
---*/
{% from "macros/counts.sql" import counts_of %}
{% from "macros/days.sql" import day_in %}
-- A person born on 29 February becomes a year older on 1 March.
SELECT
    value, CAST(NULL AS VARCHAR) AS label, CAST(age AS DOUBLE) AS low, CAST(age AS DOUBLE) AS high,
    {{ counts_of(files) }}
FROM (
    SELECT
        value,
        {{ recode.age_at[:4] | int }} - CAST(SUBSTR(day, 1, 4) AS INTEGER)
        - CASE WHEN SUBSTR(day, 6, 5) > '{{ recode.age_at[5:] }}' THEN 1 ELSE 0 END AS age,
        {{ counts_of(files) }}
    FROM (
        SELECT value, {{ day_in(column) | indent(12) }} AS day, {{ counts_of(files) }}
        FROM {{ values }} AS uncoded
    ) AS days
) AS ages
