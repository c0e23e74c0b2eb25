/*---
grain = "one row per class and level of the target in any synthesis, with the number of records of each synthesis"
reads = "records"
---*/
{% from "macros/counts.sql" import count_records, of_files %}
SELECT
    {{ class_key }}, {{ target.id }} AS level_code,
    {{ count_records(files) | indent(4) }}
FROM {{ records }}
WHERE {{ of_files(files) }}{{ " AND " ~ key_range.takes() if key_range.takes() }}
GROUP BY {{ class_key }}, {{ target.id }}
