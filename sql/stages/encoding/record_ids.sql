/*---
grain = "one row per id of the original, with the number of its record"
reads = "the original"
---*/
-- Made only if ids align the files.
SELECT {{ column.value_in(original) }} AS value, {{ original.record }} AS record
FROM {{ original.relation }}
