/*---
name    = "l_distinct"
title   = "Distinct l-diversity: the fewest target levels in a class of the original"
formula = "min over q of the number of t with d_tq > 0"
source  = "Machanavajjhala, Kifer, Gehrke & Venkitasubramaniam 2007, sect. 4; sdcMicro 5.8.1, ldiversity"
scale   = "count"
kind    = "extreme count"
unit    = "target levels per class"
higher  = "less risk"
order   = 1
says    = "Every combination of {keys} in the original file has at least {value} levels of {target}."
raises  = "Larger classes and a target with more levels; one class with a single level makes it 1."
do      = "At 1, l_distinct_people says of how many people that is true. Coarsen the keys, not the target, which has fewer levels then."
reads   = ["spread"]
theme   = "spread"
---*/
SELECT
    MIN(CASE WHEN counted_orig > 0 THEN n_levels_orig END) AS value
FROM {{ profiles }}
