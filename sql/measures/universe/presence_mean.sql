/*---
name    = "presence_mean"
title   = "delta-presence: records of the original for each person of the universe"
formula = "sum of d_q where p_q > 0, / N_p: the mean of d_q / p_q over people of the universe"
source  = "Nergiz, Atzori & Clifton 2007, def. 3 (delta-presence); ARX; the mean is ours"
scale   = "ratio"
kind    = "share of the universe"
unit    = "records per person of the universe"
higher  = "a larger file"
order   = 9
says    = "For {denominator} people of the universe the original has {numerator} records with their {keys}: {value} for each person."
raises  = "A larger file. It is the sampling fraction if all keys occur in the universe."
do      = "Compare presence_greatest and presence_at_least with it: values far above it show who is in the file."
needs   = "a universe"
---*/
SELECT
    SUM(CASE WHEN counted_universe > 0 THEN n_orig ELSE 0 END) AS numerator,
    SUM(n_universe) AS denominator
FROM {{ classes }}
