/*---
grain = "one row per row of a wide table: some of its columns, as each of many queries is slower for all that it reads"
reads = "distinct_rows"
---*/
SELECT {{ names | join(", ") }}
FROM {{ rows }} AS wide
