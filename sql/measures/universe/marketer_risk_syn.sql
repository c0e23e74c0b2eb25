/*---
name    = "marketer_risk_syn"
title   = "Marketer risk of the synthetic file: the records named rightly if each gets the name of a person of the universe with its keys"
formula = "100 * sum over q with p_q > 0 of s_q / p_q, / N_s"
source  = "Dankar & El Emam 2010; Prasser et al. 2014 (ARX): marketer success"
scale   = "percent"
kind    = "mean over synthetic records"
unit    = "percent of synthetic records"
higher  = "more risk"
order   = 17
says    = "Of {denominator} synthetic records, {numerator} ({value} %) would get the right name from somebody who knows {keys} of everybody in the universe, if each were a person's record."
raises  = "Records with keys that few people of the universe have."
do      = "A synthetic record belongs to no real person: compare with repU, which counts people whose own keys are found."
needs   = "a universe"
---*/
SELECT
    SUM(CASE WHEN n_universe > 0 THEN CAST(counted_syn AS DOUBLE) / CAST(n_universe AS DOUBLE) ELSE 0 END) AS numerator,
    SUM(synthetic) AS denominator
FROM {{ classes }}
