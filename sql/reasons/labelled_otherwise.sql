/*---
name  = "labelled_otherwise"
title = "Files label a code differently"
state = "doubtful"
reads = "label_sides"
order = 14
says  = "{column}: {amount} % of the records of {file} have codes that it labels otherwise than the original, so that they may mean something else. Code both files alike, or compare them by their labels, as the dictionary can say."
---*/
SELECT comparison, 0 AS target, position AS subject, 100 * CAST(records_otherwise AS DOUBLE) / records AS amount
FROM {{ label_sides }} AS sides
WHERE records_otherwise > 0
