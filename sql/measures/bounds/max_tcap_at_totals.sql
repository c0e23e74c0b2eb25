/*---
name    = "max_TCAP_at_totals"
title   = "Greatest possible correct disclosure among the people whose keys are found, at the file's own key totals"
formula = "100 * sum over q with s_q > 0 of max over t of d_tq, / people whose q occurs in the synthetic file"
source  = "sqlrisk; the question of Baillargeon & Charest 2020, asked of TCAP (Raab 2024, eq. 13)"
scale   = "percent"
kind    = "fewest or most people of classes"
unit    = "percent of original records in matched classes"
higher  = "more room for TCAP to rise"
order   = 12
says    = "Among the {denominator} people whose {keys} occur in the synthetic file, for any levels as its {target}, at most {numerator} ({value} %) have {target} revealed, correctly."
raises  = "Classes in which most people have the same level."
do      = "It is also the greatest DCAP_matched. If it is below 100 %, the rest have another level than most people with their keys: no synthetic file with these keys reveals both."
reads   = ["spread"]
theme   = "spread"
---*/
SELECT
    SUM(CASE WHEN n_syn > 0 THEN counted_high ELSE 0 END) AS numerator,
    SUM(CASE WHEN n_syn > 0 THEN people ELSE 0 END) AS denominator
FROM {{ profiles }}
