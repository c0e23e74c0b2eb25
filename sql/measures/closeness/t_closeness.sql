/*---
name    = "t_closeness"
title   = "t-closeness: the greatest distance of a class of the original from the whole file, by total variation"
formula = "max over q of 1/2 sum over t of abs(d_tq / d_q - d_t / N_d)"
source  = "Li, Li & Venkatasubramanian 2007, sect. 5, equal distance; pyCANON 1.3.6 and ARX"
scale   = "ratio"
kind    = "extreme value"
unit    = "share of a class that would have to change its level"
higher  = "more risk"
order   = 1
says    = "In the combination of {keys} that is furthest from the whole original, a share of {value} would have to change {target} to match it."
raises  = "Small classes, and keys that the target depends on: the class furthest from the file decides."
do      = "One class with only a rare level decides it: coarsen the keys until this class has other levels. t_closeness_mean is over all people."
reads   = ["closeness"]
---*/
SELECT
    MAX(CASE WHEN counted_orig > 0 THEN apart_total END) AS value
FROM {{ profiles }}
