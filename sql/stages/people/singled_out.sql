/*---
grain = "one row per record of one file whose class is risky: its number; the class holds no other record of that file"
reads = "records, compared_classes"
---*/
{% from "macros/class_key.sql" import same_class with context %}
SELECT records.record AS record, 1 AS hit
FROM {{ records }} AS records
JOIN (
    {{ compared | indent(4) }}
) AS classes ON {{ same_class("records", "classes") }}
WHERE records.file = {{ file.number }} AND {{ risky }}
