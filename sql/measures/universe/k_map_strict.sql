/*---
name    = "k_map_strict"
title   = "k-map, or 0 if some record has keys that nobody in the universe has"
formula = "min over q with d_q > 0 of p_q"
source  = "Sweeney 2002, sect. 3 (k-map); El Emam & Dankar 2008; ARX, counting absent classes as 0"
scale   = "count"
kind    = "extreme count"
unit    = "people of the universe per class"
higher  = "less risk"
order   = 2
says    = "Every combination of {keys} in the original belongs to at least {value} people of the universe."
raises  = "Coarser keys, and a universe with many people of each kind."
do      = "If it is 0 and k_map is not, nobody in the universe has the keys of some records. The original is then not a sample of the universe: check that both files write their levels alike."
needs   = "a universe"
---*/
SELECT
    MIN(CASE WHEN counted_orig > 0 THEN n_universe END) AS value
FROM {{ classes }}
