/*---
grain = "one row per class of one file of people, with its number of records"
reads = "records"
---*/
SELECT {{ class_key }}, COUNT(*) AS n_records
FROM {{ records }}
WHERE file = {{ file.number }}
GROUP BY {{ class_key }}
