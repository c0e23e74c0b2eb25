/*---
name    = "worse_protected"
title   = "People worse protected than with the original published"
formula = "100 * sum of d_tq where s_tq / s_q > d_tq / d_q, / N_d (a share of a class without records is 0)"
source  = "sqlrisk: CAP (Elliot 2014) of each person in the synthetic file against that in the original, as exact fractions"
scale   = "percent"
kind    = "proportion of people"
unit    = "percent of original records"
higher  = "more risk"
order   = 8
says    = "Of {denominator} people, {numerator} ({value} %) are worse protected than with the original published: a guess of their {target} is right more often."
raises  = "Synthetic classes in which the true level has a greater share than in the original, by chance or by smoothing toward the majority."
do      = "List the cells (sqlrisk cells worse_protected): about these people the synthetic file reveals more than the original would. Mention it in the release note even if DCAP is low."
# unchanged by [= → <=]: no count is below 0
risky   = "n_syn * n_base_class > n_base * n_syn_class OR n_base_class = 0 AND n_syn > 0"
---*/
SELECT
    SUM(CASE WHEN {{ risky }} THEN counted_orig ELSE 0 END) AS numerator,
    SUM(people) AS denominator
FROM {{ cells }}
