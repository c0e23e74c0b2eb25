/*---
name    = "delta_disclosure"
title   = "delta-disclosure: the greatest change of a level's share in a class of the original, as a logarithm"
formula = "max over q and t with d_tq > 0 of abs(ln((d_tq / d_q) / (d_t / N_d)))"
source  = "Brickell & Shmatikov 2008, sect. 4; pyCANON 1.3.6; ARX, which has logarithms to base 2"
scale   = "ratio"
kind    = "extreme value"
unit    = "natural logarithm of the ratio of the two shares"
higher  = "more risk"
order   = 7
says    = "In some combination of {keys}, the share of a level of {target} differs from its share in the whole original by a factor with the logarithm {value}. This is the greatest change."
raises  = "Rare levels in small classes, and frequent levels that are rare in a large one."
do      = "Levels that a class lacks are left out, as other programs do. By definition delta is infinite there: delta_absent counts the people in these classes."
reads   = ["closeness"]
---*/
SELECT
    MAX(CASE WHEN counted_orig > 0 THEN apart_log END) AS value
FROM {{ profiles }}
