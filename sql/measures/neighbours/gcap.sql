/*---
name    = "GCAP"
title   = "Generalized correct attribution probability: share of the true level among the nearest synthetic records"
formula = "100 * sum over j of (records with the target level of j among the synthetic records nearest to j) / (synthetic records nearest to j) / N_d"
source  = "Hittmeir, Mayer & Ekelhart 2020; 1 - SDMetrics' CategoricalGeneralizedCAP"
scale   = "percent"
kind    = "mean over people"
unit    = "percent of original records"
higher  = "more risk"
order   = 3
says    = "Drawing {target} from the synthetic records that differ in the fewest of {keys}, an intruder would be right for {value} % of {denominator} people on average."
raises  = "What raises DCAP, and targets that are still right if one or two keys differ."
do      = "Compare with accuracy_marginal and baseCAPd: the nearest records often have a frequent level anyway. If GCAP is far above these and DCAP, not being found does not protect people."
theme   = "near"
each    = "share_syn"
---*/
SELECT
    SUM(counted_orig * share_syn) AS numerator,
    SUM(people) AS denominator
FROM {{ neighbours }}
