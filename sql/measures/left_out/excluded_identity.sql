/*---
name    = "excluded_identity"
title   = "People excluded from the measures of identity"
formula = "100 * sum of d_q over classes that are not counted, / N_d"
source  = "sqlrisk; synthpop leaves out people with a missing key and does not say how many"
scale   = "percent"
kind    = "proportion of people"
unit    = "percent of original records"
higher  = "more people whom the numbers do not cover"
order   = 2
says    = "Of {denominator} people, {numerator} ({value} %) are excluded from the measures of identity: one of their keys is missing."
raises  = "--exclude-missing of a key that many people lack; other exclusions do not matter to identity."
do      = "Compare UiO and repU with their values without exclusions: a unique person whose key is missing can be found like anybody else."
---*/
SELECT
    SUM(people - counted_orig) AS numerator,
    SUM(people) AS denominator
FROM {{ classes }}
