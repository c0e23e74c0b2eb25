/*---
name    = "journalist_risk_syn"
title   = "Journalist risk of the synthetic file: the greatest chance that a person picked from the universe by a record's keys is the right one"
formula = "1 / min over q with s_q > 0 and p_q > 0 of p_q"
source  = "Dankar & El Emam 2010; Prasser et al. 2014 (ARX)"
scale   = "ratio"
kind    = "extreme value of records"
unit    = "chance to find the right person of the universe"
higher  = "more risk"
order   = 16
says    = "Of the people of the universe who share {keys} with a record of the synthetic file, one is picked: the chance of the right one is {value} at most."
raises  = "Records with keys that few people of the universe have."
do      = "It is 1 / k_map_syn, and one record decides it; marketer_risk_syn is the mean over all records."
needs   = "a universe"
---*/
SELECT
    MAX(CASE WHEN counted_syn > 0 AND n_universe > 0 THEN CAST(1 AS DOUBLE) / CAST(n_universe AS DOUBLE) END) AS value
FROM {{ classes }}
