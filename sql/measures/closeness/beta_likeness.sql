/*---
name    = "beta_likeness"
title   = "Basic beta-likeness: the greatest gain in the share of a level, in a class of the original"
formula = "max over q and t of (d_tq / d_q - d_t / N_d) / (d_t / N_d)"
source  = "Cao & Karras 2012, def. 2; pyCANON 1.3.6 and ARX"
scale   = "ratio"
kind    = "extreme value"
unit    = "gain, in multiples of the share in the whole file"
higher  = "more risk"
order   = 5
says    = "In some combination of {keys}, the share of a level of {target} is higher than in the whole original by {value} times its share there. This is the greatest gain."
raises  = "Rare levels in small classes: a unique person with a level of one in a thousand makes it 999."
do      = "Coarsen the rare levels of the target, or the keys of those who have them."
reads   = ["closeness"]
---*/
SELECT
    MAX(CASE WHEN counted_orig > 0 THEN apart_gain END) AS value
FROM {{ profiles }}
