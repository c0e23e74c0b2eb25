/*---
name    = "presence_least"
title   = "delta-presence: the smallest share of a class of the universe that is in the original"
formula = "min over q with p_q > 0 of d_q / p_q"
source  = "Nergiz, Atzori & Clifton 2007, def. 3 (delta-presence); ARX"
scale   = "ratio"
kind    = "extreme value of records"
unit    = "records per person of the universe"
higher  = "more people are known to be in the file"
order   = 7
says    = "Of the people of the universe with any {keys}, the original has a share of at least {value}."
raises  = "A large sample, and coarse keys: then no class of the universe is left out."
do      = "0 as soon as nobody of a class is there: presence_none says of how many people that is true. Somebody who is not in the file is then known not to be."
needs   = "a universe"
---*/
SELECT
    MIN(CASE WHEN counted_universe > 0 THEN CAST(n_orig AS DOUBLE) / CAST(n_universe AS DOUBLE) END) AS value
FROM {{ classes }}
