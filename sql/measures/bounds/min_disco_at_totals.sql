/*---
name    = "min_DiSCO_at_totals"
title   = "Smallest possible correct disclosure at the file's own key totals"
formula = "100 * sum over q with s_q = 1 of min over t of d_tq, / N_d; for a target with one level, over q with s_q > 0"
source  = "sqlrisk; the question of Baillargeon & Charest 2020, asked of DiSCO (Raab 2024, eq. 11)"
scale   = "percent"
kind    = "fewest or most people of classes"
unit    = "percent of original records"
higher  = "less room to lower DiSCO"
order   = 9
says    = "With the synthetic file's own {keys} and any levels of the original as its {target}, at least {numerator} of {denominator} people ({value} %) have {target} revealed, correctly."
raises  = "Synthetic classes of one record, which always reveal a level, if even the rarest level is frequent among people with these keys."
do      = "Other targets for the same synthetic keys could lower DiSCO to this. Only other keys could lower it further."
reads   = ["spread"]
theme   = "spread"
# unchanged by > [0 → 1]: an earlier condition handles classes of one record
# unchanged by [= → <=] 1): every person has a level
---*/
SELECT
    SUM(CASE WHEN n_syn = 1 OR (n_syn > 0 AND n_levels_all = 1) THEN counted_low ELSE 0 END) AS numerator,
    SUM(people) AS denominator
FROM {{ profiles }}
