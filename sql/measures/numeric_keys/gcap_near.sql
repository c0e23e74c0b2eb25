/*---
name    = "GCAP_near"
title   = "Generalized correct attribution with a tolerance on a key: share of the true level among the nearest synthetic records"
formula = "100 * sum over j of (records with the target level of j among the synthetic records nearest to j) / (synthetic records nearest to j) / N_d"
source  = "GCAP (Hittmeir, Mayer & Ekelhart 2020) where one key matches within a tolerance"
scale   = "percent"
kind    = "mean over people"
unit    = "percent of original records"
higher  = "more risk"
order   = 1
says    = "Drawing {target} from the synthetic records that differ in the fewest of {keys} (one key differs only if it is outside its tolerance), an intruder would be right for {value} % of {denominator} people on average."
raises  = "What raises DCAP_near, and targets that are still right if one or two keys differ."
do      = "Compare with GCAP and with DCAP_near: if it is far above GCAP, the synthesis may have moved the key and kept what goes with it. Coarsen the key rather than move its values."
theme   = "near"
needs   = "a tolerance on a key"
each    = "share_syn"
---*/
SELECT
    SUM(counted_orig * share_syn) AS numerator,
    SUM(people) AS denominator
FROM {{ neighbours_reached }}
