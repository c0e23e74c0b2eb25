/*---
name    = "UiOiS_near"
title   = "Unique in original, and a synthetic record is within the tolerance"
formula = "100 * number of people with d_q = 1 and s~_q > 0, / N_d; s~_q: synthetic records within the tolerance of q"
source  = "UiOiS (Raab 2024, eq. 4) where one key matches within a tolerance"
scale   = "percent"
kind    = "proportion of people"
unit    = "percent of original records"
higher  = "more risk"
order   = 3
says    = "Of {denominator} people, {numerator} ({value} %) are unique on {keys} in the original file and a synthetic record is within the tolerance of their keys."
raises  = "A greater tolerance, and many uniques whose values the synthesis moved by less than that."
do      = "repU_near counts those who have exactly one synthetic record near. Whoever allows for small moves finds the people again: coarsen the key instead."
needs   = "a tolerance on a key"
# unchanged by [= → <=]: a class without people adds 0
risky   = "n_orig = 1 AND n_syn > 0"
---*/
SELECT
    SUM(CASE WHEN {{ risky }} THEN counted_orig ELSE 0 END) AS numerator,
    SUM(people) AS denominator
FROM {{ reached_classes }}
