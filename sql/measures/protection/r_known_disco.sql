/*---
name    = "R_known_DiSCO"
title   = "Share of DiSCO that the exclusions explain"
formula = "(DiSCO of all - DiSCO after exclusions) / (100 - DiSCO after exclusions)"
source  = "Raab 2024, sect. 5"
scale   = "ratio"
unit    = "proportion of the risk that is left to explain"
higher  = "more of the disclosure was known anyway"
order   = 4
says    = "What is excluded as known anyway accounts for {value} of the way from DiSCO after exclusions to certainty."
risky   = "n_syn = n_syn_class AND n_syn > 0 AND n_orig > 0"
needs   = "exclusions"
---*/
SELECT
    SUM(CASE WHEN {{ risky }} THEN people - counted_orig ELSE 0 END) AS numerator,
    SUM(people - CASE WHEN {{ risky }} THEN counted_orig ELSE 0 END) AS denominator
FROM {{ cells }}
