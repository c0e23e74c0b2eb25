/*---
name    = "k_map_syn"
title   = "k-map: the fewest people of the universe with the keys of a record of the synthetic file"
formula = "min over q with s_q > 0 and p_q > 0 of p_q"
source  = "Sweeney 2002, sect. 3 (k-map); El Emam & Dankar 2008; ARX"
scale   = "count"
kind    = "extreme count of records"
unit    = "people of the universe per class"
higher  = "less risk"
order   = 13
says    = "Every combination of {keys} in the synthetic file that is also in the universe belongs to at least {value} of its people."
raises  = "Coarser keys, and a universe with many people of each kind."
do      = "At 1, the synthetic file has keys that only one person of the universe has: universe_size_syn says how many records have few people. absent_from_universe_syn counts the records that k_map_syn leaves out."
needs   = "a universe"
---*/
SELECT
    MIN(CASE WHEN counted_syn > 0 AND n_universe > 0 THEN n_universe END) AS value
FROM {{ classes }}
