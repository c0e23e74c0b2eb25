/*---
name  = "texts_misread"
title = "Texts of a file were read in another encoding than theirs"
state = "doubtful"
reads = "look_alikes"
order = 18
says  = "The texts of {found} are UTF-8, but were read as Windows-1252: Stata files up to version 13 do not state their encoding. Name it: --encoding {found}=utf-8."
---*/
SELECT comparison, target, subject, CAST(records AS DOUBLE) AS amount
FROM {{ look_alikes }} AS alike
WHERE what = 'texts_misread'
