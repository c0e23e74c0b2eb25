/*---
name    = "min_DCAP_matched_at_totals"
title   = "Smallest possible correct attribution at the file's own key totals, non-matches left out"
formula = "100 * sum over q with s_q > 0 of min over t of d_tq, / people whose q occurs in the synthetic file"
source  = "after Baillargeon & Charest 2020: the bound when the synthetic keys stay and only the targets may change"
scale   = "percent"
kind    = "fewest or most people of classes"
unit    = "percent of original records in matched classes"
higher  = "less room to lower DCAP_matched"
order   = 6
says    = "Among the {denominator} people whose {keys} occur in the synthetic file, whichever levels of the original its {target} has, a guess is right for at least {numerator} ({value} %) on average."
raises  = "Keys of the synthetic file for which even the rarest level is frequent among people."
do      = "Other targets for the same synthetic keys could lower DCAP_matched to this."
reads   = ["spread"]
theme   = "spread"
---*/
SELECT
    SUM(CASE WHEN n_syn > 0 THEN counted_low ELSE 0 END) AS numerator,
    SUM(CASE WHEN n_syn > 0 THEN people ELSE 0 END) AS denominator
FROM {{ profiles }}
