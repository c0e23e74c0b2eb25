/*---
grain = "one row per class: the records of every file with the same key levels"
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
