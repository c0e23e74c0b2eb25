/*---
name    = "marketer_risk"
title   = "Marketer risk: the records named rightly if each gets the name of a person of the universe with its keys"
formula = "100 * sum over q with p_q > 0 of d_q / p_q, / N_d"
source  = "Dankar & El Emam 2010; Prasser et al. 2014 (ARX): marketer success"
scale   = "percent"
kind    = "mean over people"
unit    = "percent of original records"
higher  = "more risk"
order   = 5
says    = "Of {denominator} people, {numerator} ({value} %) would get the right name from somebody who knows {keys} of everybody in the universe."
raises  = "Records with keys that few people of the universe have."
do      = "Coarsen keys that single people out in the universe; population_risk estimates it from weights if you have no universe."
needs   = "a universe"
each    = "CASE WHEN n_universe > 0 THEN CAST(1 AS DOUBLE) / CAST(n_universe AS DOUBLE) END"
---*/
SELECT
    SUM(
        CASE WHEN n_universe > 0 THEN CAST(counted_orig AS DOUBLE) / CAST(n_universe AS DOUBLE) ELSE 0 END
    ) AS numerator,
    SUM(people) AS denominator
FROM {{ classes }}
