/*---
name  = "sample_of_original"
title = "A sample of the original"
state = "not assessable"
reads = "copies"
order = 2
says  = "{file} is a sample of the original: the original has each of its rows, at least as often, and {amount} of them belong to people with a unique row{looked_at}."
unit  = "count"
---*/
SELECT comparison, 0 AS target, CAST(NULL AS INTEGER) AS subject, CAST(uniques_released AS DOUBLE) AS amount
FROM {{ copies }} AS copies
{# unchanged by of_control [= → <=]: a flag is 0 or 1 #}
{# unchanged by change [= → <=]: changes are numbered from 1, and 0 is no change #}
{# unchanged by rows_beyond [= → <=]: no count is below 0 #}
WHERE of_control = 0 AND change = 0 AND rows_beyond = 0 AND rows_that_differ > 0 AND uniques_released >= {{ least }}
