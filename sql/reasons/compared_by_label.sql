/*---
name  = "compared_by_label"
title = "A column is compared by its labels"
state = "assessable"
reads = "label_sides"
order = 15
says  = "{column}: compared by label. Codes mean different things from file to file, or another file has labels as texts."
---*/
SELECT comparison, 0 AS target, position AS subject, CAST(0 AS DOUBLE) AS amount
FROM {{ label_sides }} AS sides
WHERE comparison = 0 AND by_label = 1
