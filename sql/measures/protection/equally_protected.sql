/*---
name    = "equally_protected"
title   = "People protected as if the original were published"
formula = "100 * sum of d_tq where s_tq / s_q = d_tq / d_q, / N_d (a share of a class without records is 0)"
source  = "sqlrisk: CAP (Elliot 2014) of each person in the synthetic file against that in the original, as exact fractions"
scale   = "percent"
kind    = "proportion of people"
unit    = "percent of original records"
higher  = "nothing by itself: see better_protected and worse_protected"
order   = 7
says    = "For {numerator} of {denominator} people ({value} %) a guess of {target} is right as often as with the original published."
raises  = "Classes whose shares the synthetic file copies exactly, above all those with one level on both sides."
do      = "If it is high, check with repU and DiSDiO whether records of the original were copied."
# unchanged by [n_syn_class → n_syn] >: in that case n_base or n_syn_class is 0
# unchanged by n_base [= → <=], n_syn [= → <=]: no count is below 0
risky   = "n_syn * n_base_class = n_base * n_syn_class AND (n_syn_class > 0 OR n_base = 0) AND (n_base_class > 0 OR n_syn = 0)"
---*/
SELECT
    SUM(CASE WHEN {{ risky }} THEN counted_orig ELSE 0 END) AS numerator,
    SUM(people) AS denominator
FROM {{ cells }}
