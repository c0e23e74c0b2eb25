/*---
name    = "max_DiSCO_at_totals"
title   = "Greatest possible correct disclosure at the file's own key totals"
formula = "100 * sum over q with s_q > 0 of max over t of d_tq, / N_d"
source  = "sqlrisk; the question of Baillargeon & Charest 2020, asked of DiSCO (Raab 2024, eq. 11)"
scale   = "percent"
kind    = "fewest or most people of classes"
unit    = "percent of original records"
higher  = "more room for DiSCO to rise"
order   = 10
says    = "With the synthetic file's own {keys} and any levels as its {target}, at most {numerator} of {denominator} people ({value} %) have {target} revealed, correctly."
raises  = "Keys that are found (iS), and classes in which most people have the same level."
do      = "It is also the greatest possible DCAP. Both are reached if all synthetic records of a class have the most frequent level of its people. If DiSCO is near it, the synthesis smooths almost nothing."
reads   = ["spread"]
theme   = "spread"
---*/
SELECT
    SUM(CASE WHEN n_syn > 0 THEN counted_high ELSE 0 END) AS numerator,
    SUM(people) AS denominator
FROM {{ profiles }}
