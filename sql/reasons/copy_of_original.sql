/*---
name  = "copy_of_original"
title = "A copy of the original"
state = "not assessable"
reads = "copies"
order = 1
says  = "{file} is a copy of the original: it has exactly the same rows, in the same or another order ({amount} rows{looked_at}, {columns} columns)."
unit  = "count"
---*/
SELECT comparison, 0 AS target, CAST(NULL AS INTEGER) AS subject, CAST(records AS DOUBLE) AS amount
FROM {{ copies }} AS copies
{# unchanged by of_control [= → <=]: a flag is 0 or 1 #}
{# unchanged by change [= → <=]: changes are numbered from 1, and 0 is no change #}
{# unchanged by rows_that_differ [= → <=]: no count is below 0 #}
WHERE of_control = 0 AND change = 0 AND records > 0 AND rows_that_differ = 0
