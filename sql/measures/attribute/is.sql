/*---
name    = "iS"
title   = "In synthetic: the keys are found"
formula = "100 * sum of d_q where s_q > 0, / N_d"
source  = "Raab 2024, eq. 9 (misprinted there; read after sect. 3.3)"
scale   = "percent"
kind    = "proportion of people"
unit    = "percent of original records"
higher  = "more people can be looked up"
sense   = "less protection"
order   = 3
says    = "Of {denominator} people, {numerator} ({value} %) have a combination of {keys} that occurs in the synthetic file."
raises  = "Fewer or coarser keys, more synthetic records, several syntheses pooled, and a synthesizer that keeps the original's combinations."
do      = "A person who is found is not yet disclosed: compare with DiSCO and DCAP, which cannot exceed it."
above   = "synthetic"
keep    = 8
# unchanged by n_orig [> → >=]: a cell without people adds 0
risky   = "n_syn_class > 0 AND n_orig > 0"
---*/
SELECT
    SUM(CASE WHEN {{ risky }} THEN counted_orig ELSE 0 END) AS numerator,
    SUM(people) AS denominator
FROM {{ cells }}
