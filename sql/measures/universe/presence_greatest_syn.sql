/*---
name    = "presence_greatest_syn"
title   = "delta-presence: the greatest share of a class of the universe that is in the synthetic file"
formula = "max over q with p_q > 0 of s_q / p_q"
source  = "Nergiz, Atzori & Clifton 2007, def. 3 (delta-presence); ARX"
scale   = "ratio"
kind    = "extreme value of records"
unit    = "records per person of the universe"
higher  = "more risk"
order   = 20
says    = "Of the people of the universe with the same {keys}, the synthetic file has a share of at most {value}."
raises  = "Small classes of the universe: for a person who is unique on the keys it is the number of records with these keys, which can be above 1."
do      = "At 1 or more whoever has these keys is taken to be in the file: presence_at_least_syn says how many people that are."
needs   = "a universe"
---*/
SELECT
    MAX(CASE WHEN counted_universe > 0 THEN CAST(n_syn AS DOUBLE) / CAST(n_universe AS DOUBLE) END) AS value
FROM {{ classes }}
