/*---
name    = "DCAP_below_others"
title   = "People guessed better from the others in the original than from the synthetic file"
formula = "100 * sum of d_tq where s_tq / s_q < (d_tq - 1) / (d_q - 1), / N_d (a share of a class without records is 0)"
source  = "sqlrisk: CAP (Elliot 2014) of each person against that of the others (Francis & Wagner 2024), as exact fractions"
scale   = "percent"
kind    = "proportion of people"
unit    = "percent of original records"
higher  = "less risk"
order   = 5
says    = "Of {denominator} people, {numerator} ({value} %) have a {target} that is guessed better from the others in the original file with their {keys} than from the synthetic file."
raises  = "A synthesis that loosens the target from the keys, and keys that are not found."
do      = "Compare with DCAP_above_others; the remaining people are guessed equally well from both."
reads   = ["others"]
# unchanged by [n_syn_class → n_syn] =: in that case the first condition also holds
# unchanged by [= → <=]: no count is below 0
risky   = "n_syn * n_others_class < n_others * n_syn_class OR n_syn_class = 0 AND n_others > 0"
---*/
SELECT
    SUM(CASE WHEN {{ risky }} THEN counted_orig ELSE 0 END) AS numerator,
    SUM(people) AS denominator
FROM {{ cells }}
