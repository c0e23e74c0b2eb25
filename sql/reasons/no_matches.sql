/*---
name  = "no_matches"
title = "No combination of the keys is in it"
state = "not assessable"
reads = "matched_people"
order = 6
says  = "No combination of the keys that people have is in {file}: every measure that looks up their keys is 0, whatever the file reveals."
---*/
SELECT comparison, 0 AS target, CAST(NULL AS INTEGER) AS subject, CAST(0 AS DOUBLE) AS amount
FROM {{ matched_people }} AS matched
{# unchanged by [= → <=]: no count is below 0 #}
WHERE records_both = 0
