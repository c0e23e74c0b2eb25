/*---
name    = "min_TCAP_at_totals"
title   = "Smallest possible correct disclosure among the people whose keys are found, at the file's own key totals"
formula = "100 * sum over q with s_q = 1 of min over t of d_tq, / people whose q occurs in the synthetic file; for a target with one level, over q with s_q > 0"
source  = "sqlrisk; the question of Baillargeon & Charest 2020, asked of TCAP (Raab 2024, eq. 13)"
scale   = "percent"
kind    = "fewest or most people of classes"
unit    = "percent of original records in matched classes"
higher  = "less room to lower TCAP"
order   = 11
says    = "Among the {denominator} people whose {keys} occur in the synthetic file, whichever levels of the original its {target} has, at least {numerator} ({value} %) have {target} revealed, correctly."
raises  = "What raises min_DiSCO_at_totals, and fewer people whose keys are found."
do      = "Other targets for the same synthetic keys could lower TCAP to this."
reads   = ["spread"]
theme   = "spread"
# unchanged by [0 → 1] AND: an earlier condition handles classes of one record
# unchanged by [= → <=] 1): every person has a level
---*/
SELECT
    SUM(CASE WHEN n_syn = 1 OR (n_syn > 0 AND n_levels_all = 1) THEN counted_low ELSE 0 END) AS numerator,
    SUM(CASE WHEN n_syn > 0 THEN people ELSE 0 END) AS denominator
FROM {{ profiles }}
