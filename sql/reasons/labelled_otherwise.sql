/*---
name  = "labelled_otherwise"
title = "Files label a code differently"
state = "doubtful"
reads = "label_sides"
order = 14
says  = "{column}: {labels}. The files have no label in common, so codes are compared. Check that they mean the same."
---*/
SELECT comparison, 0 AS target, position AS subject, CAST(0 AS DOUBLE) AS amount
FROM {{ label_sides }} AS sides
{# unchanged by [= → <=]: a flag is 0 or 1 #}
WHERE by_label = 0
