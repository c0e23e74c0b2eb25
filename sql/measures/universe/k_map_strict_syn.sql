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
do      = "If it is 0 and k_map_syn is not, nobody in the universe has the keys of some synthetic records. These records cannot be linked to a person."
needs   = "a universe"
---*/
SELECT
    MIN(CASE WHEN counted_syn > 0 THEN n_universe END) AS value
FROM {{ classes }}
