/*---
name    = "iS_near"
title   = "In synthetic within the tolerance: the keys are found"
formula = "100 * sum of d_q where s~_q > 0, / N_d; s~_q: synthetic records within the tolerance of q"
source  = "iS (Raab 2024, eq. 9) where one key matches within a tolerance"
scale   = "percent"
kind    = "proportion of people"
unit    = "percent of original records"
higher  = "more people can be looked up"
sense   = "less protection"
order   = 2
says    = "Of {denominator} people, {numerator} ({value} %) have a synthetic record within the tolerance of their {keys}."
raises  = "A greater tolerance, and what raises iS."
do      = "A person who is found is not yet disclosed: compare with DiSCO_near and DCAP_near, which cannot exceed it."
needs   = "a tolerance on a key"
# unchanged by [n_orig → n_syn], n_orig [> → >=]: a cell without people adds 0
risky   = "n_syn > 0 AND n_orig > 0"
---*/
SELECT
    SUM(CASE WHEN {{ risky }} THEN counted_orig ELSE 0 END) AS numerator,
    SUM(people) AS denominator
FROM {{ reached_classes }}
