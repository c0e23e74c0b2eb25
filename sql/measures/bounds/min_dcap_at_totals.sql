/*---
name    = "min_DCAP_at_totals"
title   = "Smallest possible correct attribution at the file's own key totals"
formula = "100 * sum over q with s_q > 0 of min over t of d_tq, / N_d"
source  = "after Baillargeon & Charest 2020: the bound when the synthetic keys stay and only the targets may change"
scale   = "percent"
kind    = "fewest or most people of classes"
unit    = "percent of original records"
higher  = "less room to lower DCAP"
order   = 5
says    = "With the synthetic file's own {keys} and any levels of the original as its {target}, a guess is right for at least {numerator} of {denominator} people ({value} %) on average."
raises  = "Keys of the synthetic file for which even the rarest level is frequent among people."
do      = "Other targets for the same synthetic keys could lower DCAP to this. Only other keys could lower it further."
reads   = ["spread"]
theme   = "spread"
---*/
SELECT
    SUM(CASE WHEN n_syn > 0 THEN counted_low ELSE 0 END) AS numerator,
    SUM(people) AS denominator
FROM {{ profiles }}
