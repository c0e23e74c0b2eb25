/*---
name    = "DCAP_above_others"
title   = "People guessed better from the synthetic file than from the others in the original"
formula = "100 * sum of d_tq where s_tq / s_q > (d_tq - 1) / (d_q - 1), / N_d (a share of a class without records is 0)"
source  = "sqlrisk: CAP (Elliot 2014) of each person against that of the others (Francis & Wagner 2024), as exact fractions"
scale   = "percent"
kind    = "proportion of people"
unit    = "percent of original records"
higher  = "more risk"
order   = 4
says    = "Of {denominator} people, {numerator} ({value} %) have a {target} that is guessed better from the synthetic file than from the others in the original file with their {keys}."
raises  = "Classes whose synthetic records follow a person's own level rather than that of the others."
do      = "Compare with DCAP_below_others: by chance there are people on both sides. If many more are above than below, their own records may be the reason. A unique person is above as soon as one synthetic record is right: compare with control."
reads   = ["others"]
# unchanged by [n_orig → n_syn]: another condition tests this too, and a file without a record adds 0
# unchanged by [> → >=] 0 AND: if the file has no record, nobody is counted and 0 is added
# unchanged by [= → <=]: no count is below 0
risky   = "n_orig > 0 AND (n_syn * n_others_class > n_others * n_syn_class OR n_others_class = 0 AND n_syn > 0)"
---*/
SELECT
    SUM(CASE WHEN {{ risky }} THEN counted_orig ELSE 0 END) AS numerator,
    SUM(people) AS denominator
FROM {{ cells }}
