/*---
grain = "one row per level of one column: its code, its digit in the class key, and the level as a person reads it"
reads = "levels"
---*/
SELECT code, {{ digit }} AS digit, value AS level
FROM {{ levels }} AS levels
