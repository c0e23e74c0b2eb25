/*---
name    = "k_map"
title   = "k-map: the fewest people of the universe with the keys of a record of the original"
formula = "min over q with d_q > 0 and p_q > 0 of p_q"
source  = "Sweeney 2002, sect. 3 (k-map); El Emam & Dankar 2008; ARX"
scale   = "count"
kind    = "extreme count"
unit    = "people of the universe per class"
higher  = "less risk"
order   = 1
says    = "Every combination of {keys} in the original that is also in the universe belongs to at least {value} of its people."
raises  = "Coarser keys, and a universe with many people of each kind."
do      = "At 1, the original has keys that only one person of the universe has: universe_size says how many records have few people. absent_from_universe counts the records that k_map leaves out."
needs   = "a universe"
---*/
SELECT
    MIN(CASE WHEN counted_orig > 0 AND n_universe > 0 THEN n_universe END) AS value
FROM {{ classes }}
