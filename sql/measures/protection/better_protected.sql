/*---
name    = "better_protected"
title   = "People better protected than with the original published"
formula = "100 * sum of d_tq where s_tq / s_q < d_tq / d_q, / N_d (a share of a class without records is 0)"
source  = "sqlrisk: CAP (Elliot 2014) of each person in the synthetic file against that in the original, as exact fractions"
scale   = "percent"
kind    = "proportion of people"
unit    = "percent of original records"
higher  = "more protection by the synthesis"
sense   = "more protection"
order   = 6
says    = "Of {denominator} people, {numerator} ({value} %) are better protected than with the original published: a guess of their {target} is right less often."
raises  = "A synthesis that loosens the target from the keys, and keys that are not found."
do      = "Compare with worse_protected; the remaining people are protected as well as with the original published."
# unchanged by OR [n_syn_class → n_syn]: then the first condition holds, too
# unchanged by [= → <=]: no count is below 0
risky   = "n_syn * n_base_class < n_base * n_syn_class OR n_syn_class = 0 AND n_base > 0"
---*/
SELECT
    SUM(CASE WHEN {{ risky }} THEN counted_orig ELSE 0 END) AS numerator,
    SUM(people) AS denominator
FROM {{ cells }}
