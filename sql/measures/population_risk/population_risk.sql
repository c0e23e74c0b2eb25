/*---
name    = "population_risk"
title   = "Population risk: expected re-identifications, if the original is a random sample of its population"
formula = "100 * sum of the risk of each person / N_d; with p = d_q / sum of weights of q: d_q = 1: p/(1-p) ln(1/p); d_q = 2: p/(1-p) - (p/(1-p))^2 ln(1/p); else p / (d_q - (1-p)); 1/d_q if p >= 1"
source  = "Franconi & Polettini 2004; Benedetti & Franconi 1998; the approximation of sdcMicro 5.8.1"
scale   = "percent"
kind    = "mean over people"
unit    = "percent of original records"
higher  = "more risk"
order   = 1
says    = "Of {denominator} people, {numerator} ({value} %) are expected to be re-identified by someone who knows {keys} of everybody in the population."
raises  = "Classes that are small in the sample and have small weights: people who are rare in the population as well; a larger sample."
do      = "Check that the weights add up to the population. Then coarsen keys; sqlrisk records --weights has the risk of each person."
theme   = "levels"
needs   = "weights"
each    = "population_risk"
# unchanged by [0 → 1]: every person has a risk
---*/
SELECT
    COALESCE(SUM(counted_orig * population_risk), 0) AS numerator,
    SUM(people) AS denominator
FROM {{ classes }}
