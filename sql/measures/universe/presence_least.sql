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
says    = "Of the people of the universe with the same {keys}, the original has a share of at least {value}."
raises  = "A large sample, and coarse keys: then no class of the universe is left out."
do      = "It is 0 as soon as one class has no record in the file. Its people are then known not to be in the file: presence_none says how many they are."
needs   = "a universe"
---*/
SELECT
    MIN(CASE WHEN counted_universe > 0 THEN CAST(n_orig AS DOUBLE) / CAST(n_universe AS DOUBLE) END) AS value
FROM {{ classes }}
