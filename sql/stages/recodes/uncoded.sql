/*---
grain = "one row per value of one column before any recode, as its own level, and its name if it is text"
reads = "values"
---*/
{% from "macros/counts.sql" import counts_of %}
-- A level has a name (label), or is a number from low up to high, or is the value itself.
SELECT
    value, {{ "value" if column.type == "VARCHAR" else "CAST(NULL AS VARCHAR)" }} AS label,
    CAST(NULL AS DOUBLE) AS low, CAST(NULL AS DOUBLE) AS high, {{ counts_of(files) }}
FROM {{ values }} AS counted
