/*---
name  = "levels_look_alike"
title = "Levels of two files look the same and differ"
state = "doubtful"
reads = "look_alikes"
order = 16
unit  = "count"
says  = "{column}: a file lacks a level, but has one that looks the same (records: {amount}). They differ in {found}. sqlrisk inspect shows the recode that makes them one."
---*/
SELECT comparison, target, subject, CAST(records AS DOUBLE) AS amount
FROM {{ look_alikes }} AS alike
WHERE what = 'levels_look_alike'
