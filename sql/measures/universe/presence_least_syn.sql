/*---
name    = "presence_least_syn"
title   = "delta-presence: the smallest share of a class of the universe that is in the synthetic file"
formula = "min over q with p_q > 0 of s_q / p_q"
source  = "Nergiz, Atzori & Clifton 2007, def. 3 (delta-presence); ARX"
scale   = "ratio"
kind    = "extreme value of records"
unit    = "records per person of the universe"
higher  = "more people look as if they were in the file"
order   = 19
says    = "Of the people of the universe with the same {keys}, the synthetic file has a share of at least {value}."
raises  = "A large file, and coarse keys: then no class of the universe is left out."
do      = "It is 0 as soon as one class has no record in the file. Its people then look as if they were not in the file: presence_none_syn says how many they are."
needs   = "a universe"
---*/
SELECT
    MIN(CASE WHEN counted_universe > 0 THEN CAST(n_syn AS DOUBLE) / CAST(n_universe AS DOUBLE) END) AS value
FROM {{ classes }}
