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
says    = "Every combination of {keys} in the synthetic file that the universe has at all is that of at least {value} of its people."
raises  = "Coarser keys, and a universe with many people of each kind."
do      = "At 1 somebody of the universe is alone with keys that the synthetic file shows: universe_size_syn says how many records are so near to a person. absent_from_universe_syn has the records that it leaves out."
needs   = "a universe"
---*/
SELECT
    MIN(CASE WHEN counted_syn > 0 AND n_universe > 0 THEN n_universe END) AS value
FROM {{ classes }}
