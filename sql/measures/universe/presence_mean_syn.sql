/*---
name    = "presence_mean_syn"
title   = "delta-presence: records of the synthetic file for each person of the universe"
formula = "sum of s_q where p_q > 0, / N_p: the mean of s_q / p_q over people of the universe"
source  = "Nergiz, Atzori & Clifton 2007, def. 3 (delta-presence); ARX; the mean is ours"
scale   = "ratio"
kind    = "share of the universe"
unit    = "records per person of the universe"
higher  = "a larger file"
order   = 21
says    = "For {denominator} people of the universe the synthetic file has {numerator} records with their {keys}: {value} for each person."
raises  = "A larger file. It is the size of the file over that of the universe if all keys occur there."
do      = "Compare presence_greatest_syn and presence_at_least_syn with it: values far above it show who seems to be in the file."
needs   = "a universe"
---*/
SELECT
    SUM(CASE WHEN counted_universe > 0 THEN n_syn ELSE 0 END) AS numerator,
    SUM(n_universe) AS denominator
FROM {{ classes }}
