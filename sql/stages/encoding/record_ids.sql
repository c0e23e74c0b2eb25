/*---
grain = "one row per id of the original, if ids align the files, with its record's number"
reads = "the original"
---*/
SELECT {{ column.value_in(original) }} AS value, {{ original.record }} AS record
FROM {{ original.relation }}
