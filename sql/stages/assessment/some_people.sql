/*---
grain = "one row per person of a sample of classes, with the class key and the level codes"
reads = "records"
---*/
-- The sample has the classes whose class key is divisible by a number that has no common factor with the numbers of
-- levels, as in passes.sql.
SELECT {{ columns | join(", ") }}, file
{# unchanged by [people → counted_orig]: the columns are used without a table name #}
FROM {{ records }} AS people
{# unchanged by file [= → <=]: the original is file 0, the lowest number #}
{# unchanged by {{ every }} [= → <=]: no remainder is below 0 #}
WHERE file = 0 AND class_key % {{ every }} = 0
