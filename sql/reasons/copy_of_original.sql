/*---
name  = "copy_of_original"
title = "A copy of the original"
state = "not assessable"
reads = "copies"
order = 1
says  = "{file} is a copy of the original: it has the same rows, each as often, in whatever order ({amount} rows{looked_at}, {columns} columns)."
unit  = "count"
---*/
SELECT comparison, 0 AS target, CAST(NULL AS INTEGER) AS subject, CAST(records AS DOUBLE) AS amount
FROM {{ copies }} AS copies
WHERE of_control = 0 AND change = 0 AND records > 0 AND rows_that_differ = 0
