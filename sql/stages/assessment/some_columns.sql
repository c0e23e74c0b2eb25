/*---
grain = "one row per row of distinct_rows, with some of its columns"
reads = "distinct_rows"
---*/
-- For wide tables: log_shares reads its table many times, and each read slows down with the columns of the table.
SELECT {{ names | join(", ") }}
FROM {{ rows }} AS wide
