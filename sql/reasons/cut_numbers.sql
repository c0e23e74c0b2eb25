/*---
name  = "cut_numbers"
title = "Numbers of a SAS file are cut"
state = "doubtful"
reads = "cut_numbers"
order = 19
unit  = "count"
says  = "{column}: a SAS file stores its numbers in {amount} bytes, which cuts them: 0.1 is not the 0.1 of another file. Store them in 8 bytes (LENGTH 8) in all files."
---*/
SELECT comparison, 0 AS target, position AS subject, CAST(bytes AS DOUBLE) AS amount
FROM {{ cut_numbers }} AS cut
