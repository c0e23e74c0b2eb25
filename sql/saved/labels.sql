/*---
grain = "one row per level of one column, with its code, its digit in the class key, and its readable name"
reads = "levels"
---*/
SELECT code, {{ digit }} AS digit, value AS level
FROM {{ levels }} AS levels
