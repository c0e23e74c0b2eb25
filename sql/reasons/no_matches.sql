/*---
name  = "no_matches"
title = "None of the combinations of the keys is in it"
state = "not assessable"
reads = "matched_people"
order = 6
says  = "No combination of keys in the original occurs in {file}, so every measure that looks up keys is 0 or empty, even if the file reveals much. Check that both files write their levels alike."
---*/
SELECT comparison, 0 AS target, CAST(NULL AS INTEGER) AS subject, CAST(0 AS DOUBLE) AS amount
FROM {{ matched_people }} AS matched
{# unchanged by [= → <=]: no count is below 0 #}
WHERE records_both = 0
