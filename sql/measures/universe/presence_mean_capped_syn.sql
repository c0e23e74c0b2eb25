/*---
name    = "presence_mean_capped_syn"
title   = "delta-presence: records of the synthetic file for each person of the universe, counting at most one each"
formula = "sum over q of min(s_q, p_q), / N_p"
source  = "Nergiz, Atzori & Clifton 2007, def. 3 (delta-presence); ARX; the mean is ours"
scale   = "ratio"
kind    = "share of the universe"
unit    = "share of the people of the universe"
higher  = "more risk"
order   = 22
says    = "Of {denominator} people of the universe, {numerator} can have a record of the synthetic file with their {keys}, each one of their own: a share of {value}."
raises  = "A large file that has the keys of many people."
do      = "It is below presence_mean_syn if the synthetic file has more records of some keys than there are people."
needs   = "a universe"
# unchanged by [< → <=]: if they are equal, both branches give one value
---*/
SELECT
    SUM(CASE WHEN n_syn < counted_universe THEN n_syn ELSE counted_universe END) AS numerator,
    SUM(n_universe) AS denominator
FROM {{ classes }}
