/*---
grain = "one row per person of some classes: the class key and the level codes"
reads = "records"
---*/
-- As in passes.sql, classes whose key is divisible by a number that has no factor in common with the counts of levels.
SELECT {{ columns | join(", ") }}, file
FROM {{ records }} AS people
WHERE file = 0 AND class_key % {{ every }} = 0
