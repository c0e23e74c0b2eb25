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
says    = "In some combination of {keys}, a share of {value} would have to change {target} to be spread as in the whole original; in none more."
raises  = "Small classes, and keys that the target hangs on: the class furthest from the file decides."
do      = "t_closeness_mean is over all people. One class of one rare level makes the greatest: coarsen the keys until it has others."
reads   = ["closeness"]
---*/
SELECT
    MAX(CASE WHEN counted_orig > 0 THEN apart_total END) AS value
FROM {{ profiles }}
