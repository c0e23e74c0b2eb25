/*---
name    = "l_entropy"
title   = "Entropy l-diversity: the fewest target levels that would be as diverse if equally frequent"
formula = "min over q of exp(- sum over t of p ln p), p = d_tq / d_q"
source  = "Machanavajjhala, Kifer, Gehrke & Venkitasubramaniam 2007, def. 4.1; sdcMicro 5.8.1, ldiversity"
scale   = "count"
kind    = "extreme value"
unit    = "effective target levels per class"
higher  = "less risk"
order   = 2
says    = "In every combination of {keys} of the original file, {target} is as diverse as {value} equally frequent levels, or more."
raises  = "Classes in which the levels are many and evenly spread; the least diverse class decides."
do      = "Near 1, some class is nearly of one level: sqlrisk records --diversity finds its people. Coarsen the keys."
reads   = ["spread"]
---*/
SELECT
    MIN(CASE WHEN counted_orig > 0 THEN EXP(entropy_orig) END) AS value
FROM {{ profiles }}
