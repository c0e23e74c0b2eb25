/*---
name    = "k_map_strict_syn"
title   = "k-map of the synthetic file, or 0 if some record has keys that nobody in the universe has"
formula = "min over q with s_q > 0 of p_q"
source  = "Sweeney 2002, sect. 3 (k-map); El Emam & Dankar 2008; ARX, counting absent classes as 0"
scale   = "count"
kind    = "extreme count of records"
unit    = "people of the universe per class"
higher  = "less risk"
order   = 14
says    = "Every combination of {keys} in the synthetic file belongs to at least {value} people of the universe."
raises  = "Coarser keys, and a universe with many people of each kind."
do      = "0 where k_map_syn is more: records of the synthetic file have keys of nobody. They can name nobody."
needs   = "a universe"
---*/
SELECT
    MIN(CASE WHEN counted_syn > 0 THEN n_universe END) AS value
FROM {{ classes }}
