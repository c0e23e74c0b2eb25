/*---
name    = "excluded"
title   = "People excluded from the numbers of a target"
formula = "100 * sum of d_tq over cells that are not counted, / N_d"
source  = "sqlrisk; synthpop and Raab 2024, sect. 5, leave people out and do not say how many"
scale   = "percent"
kind    = "proportion of people"
unit    = "percent of original records"
higher  = "more people whom the numbers do not cover"
order   = 1
says    = "Of {denominator} people, {numerator} ({value} %) are excluded from the numbers of {target}."
raises  = "Exclusions, above all of a level that most people have."
do      = "Compare every number with its value without exclusions. Limit this one in a policy: excluded <= 10."
---*/
SELECT
    SUM(people - counted_orig) AS numerator,
    SUM(people) AS denominator
FROM {{ cells }}
