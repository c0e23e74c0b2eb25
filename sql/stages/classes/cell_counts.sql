/*---
grain = "one row per cell (a class and one level of the target), with the number of records of each file"
reads = "records"
---*/
{% from "macros/counts.sql" import count_records %}
SELECT
    {{ class_key }}, {{ target.id }} AS level_code,
    {{ count_records(files) | indent(4) }}
FROM {{ records }}
{% if key_range.takes("class_key", counted) %}
WHERE {{ key_range.takes("class_key", counted) }}
{% endif %}
GROUP BY {{ class_key }}, {{ target.id }}
