/*---
grain = "one row per class (records with the same key levels), with the number of records of each file"
reads = "records"
---*/
{% from "macros/counts.sql" import count_records %}
SELECT
    {{ class_key }},
    {{ count_records(files) | indent(4) }}
FROM {{ records }}
{% if key_range.takes() %}
WHERE {{ key_range.takes() }}
{% endif %}
GROUP BY {{ class_key }}
