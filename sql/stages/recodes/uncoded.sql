/*---
grain = "one row per value of one column before any recode, as its own level"
reads = "values"
---*/
{% from "macros/counts.sql" import counts_of %}
-- A level is given by a name (label; texts without labels are names), by a range of numbers from low to high, or by the
-- value itself.
SELECT
    value,
    {{ "value" if column.type == "VARCHAR" and not column.labels else "CAST(NULL AS VARCHAR)" }} AS label,
    CAST(NULL AS DOUBLE) AS low, CAST(NULL AS DOUBLE) AS high, {{ counts_of(files) }}
FROM {{ values }} AS counted
