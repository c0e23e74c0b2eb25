/*---
name    = "DiSDiO"
title   = "Correctly disclosed by the synthetic file and by the original"
formula = "100 * sum of d_tq where s_tq = s_q > 0 and d_tq = d_q, / N_d"
source  = "Raab 2024, eq. 12 (Disclosive in Synthetic, Disclosive in Original)"
scale   = "percent"
kind    = "proportion of people"
unit    = "percent of original records"
higher  = "more risk"
order   = 6
says    = "Of {denominator} people, {numerator} ({value} %) would have {target} revealed correctly by the synthetic file, and by the original too."
raises  = "What raises DiSCO, in classes that have one level in the original too: small classes, and rules that hold for everybody."
do      = "As for DiSCO. People in DiSCO but not here share their keys with people of other levels. About those the same sure guess is wrong."
above   = "synthetic"
# unchanged by [= → >=]: a cell has no more records than its class
# unchanged by [n_orig → n_syn] >, n_orig [> → >=]: a cell without people adds 0
risky   = "n_syn = n_syn_class AND n_syn > 0 AND n_orig > 0 AND n_orig = n_orig_class"
---*/
SELECT
    SUM(CASE WHEN {{ risky }} THEN counted_orig ELSE 0 END) AS numerator,
    SUM(people) AS denominator
FROM {{ cells }}
