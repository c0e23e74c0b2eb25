/*---
name  = "columns_look_alike"
title = "Columns of two files have names that look the same and differ"
state = "doubtful"
reads = "look_alikes"
order = 17
says  = "Columns of the files have names that look the same and differ: {found}. Give them one name, or they are left out."
---*/
SELECT comparison, target, subject, CAST(records AS DOUBLE) AS amount
FROM {{ look_alikes }} AS alike
WHERE what = 'columns_look_alike'
