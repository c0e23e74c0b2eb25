/*---
grain = "one row per record, with the number of the part that it is written to; a part holds neighboring classes"
reads = "records"
---*/
{% from "macros/class_key.sql" import part_from %}
SELECT *, {{ part_from(lows, 0) }} AS part
FROM (
    {{ records | indent(4) }}
) AS whole
