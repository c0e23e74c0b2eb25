/*---
name    = "TCAP"
title   = "Correctly disclosed among the people whose keys are found"
formula = "100 * sum of d_tq where s_tq = s_q > 0 / people whose q occurs in the synthetic file"
source  = "Raab 2024, eq. 13; synthpop's TCAP (DiSCO / iS)"
scale   = "percent"
kind    = "proportion of people"
unit    = "percent of original records in matched classes"
higher  = "more risk"
order   = 7
says    = "Of the {denominator} people whose {keys} occur in the synthetic file, {numerator} ({value} %) would have {target} revealed correctly."
raises  = "What raises DiSCO, and fewer people whose keys are found."
do      = "Look at the count before the percentage: if few people are found, the percentage is about few. Then as for DiSCO."
above   = "synthetic"
# unchanged by [= → >=]: a cell has no more records than its class
# unchanged by [n_orig → n_syn], n_orig [> → >=]: a cell without people adds 0
risky   = "n_syn = n_syn_class AND n_syn > 0 AND n_orig > 0"
---*/
SELECT
    SUM(CASE WHEN {{ risky }} THEN counted_orig ELSE 0 END) AS numerator,
    SUM(CASE WHEN n_syn_class > 0 THEN people ELSE 0 END) AS denominator
FROM {{ cells }}
