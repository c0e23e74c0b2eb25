/*---
name    = "Dorig_near"
title   = "Disclosed by the original: all records within the tolerance agree on the target"
formula = "100 * sum of d_tq where d~_tq = d~_q, / N_d; d~: people within the tolerance"
source  = "Dorig (Raab 2024, eq. 8) where one key matches within a tolerance"
scale   = "percent"
kind    = "proportion of people"
unit    = "percent of original records"
higher  = "more risk"
order   = 8
says    = "Of {denominator} people, {numerator} ({value} %) would have {target} revealed by all records within the tolerance of {keys}, if the original file itself were published."
raises  = "A smaller tolerance, small classes, and a target that changes little with the key."
do      = "It is the original's own value, to compare DiSCO_near with."
above   = "original"
needs   = "a tolerance on a key"
# unchanged by [= → >=]: a cell has no more records than its class
# unchanged by [> → >=]: a cell without people adds 0
risky   = "n_orig_reached = n_orig_class_reached AND n_orig > 0"
---*/
SELECT
    SUM(CASE WHEN {{ risky }} THEN counted_orig ELSE 0 END) AS numerator,
    SUM(people) AS denominator
FROM {{ reached_cells }}
