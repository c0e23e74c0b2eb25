/*---
name    = "l_recursive"
title   = "Recursive (2,l)-diversity of the least diverse class"
formula = "min over q of 1 + the number of j >= 2 with r_1 < 2 * (r_j + ... + r_m), r the counts d_tq in falling order"
source  = "Machanavajjhala, Kifer, Gehrke & Venkitasubramaniam 2007, def. 4.2; sdcMicro 5.8.1, ldiversity with its c = 2"
scale   = "count"
kind    = "extreme count"
unit    = "rank among the levels of a class"
higher  = "less risk"
order   = 3
says    = "Every combination of {keys} in the original file is recursively (2,{value})-diverse in {target}: the most frequent level is less than twice as frequent as all levels from rank {value} on together."
raises  = "Classes in which the rarer levels together outweigh the most frequent one; the least diverse class decides."
do      = "At 1, in some class the most frequent level is at least twice as frequent as all others together: coarsen the keys, or accept a guess that is mostly right there."
reads   = ["spread"]
---*/
SELECT
    MIN(CASE WHEN counted_orig > 0 THEN l_recursive END) AS value
FROM {{ profiles }}
