/*---
name    = "Dsyn"
title   = "Disclosed within the synthetic file, treating its records as people"
formula = "100 * sum of s_tq where s_tq = s_q, / N_s"
source  = "synthpop 1.9-3, disclosure()"
scale   = "percent"
kind    = "proportion of synthetic records"
unit    = "percent of synthetic records"
higher  = "more apparent risk; by itself it says nothing about real people"
order   = 2
says    = "Of {denominator} synthetic records, {numerator} ({value} %) share {target} with all synthetic records of the same {keys}."
raises  = "Small synthetic classes, and a target that the keys determine within the synthetic file, rightly or wrongly."
do      = "It needs no action: synthetic records belong to no real person. DiSCO says how much of it is true of real people."
# unchanged by [= → >=]: a cell has no more records than its class
# unchanged by [> → >=]: a cell without synthetic records adds 0
risky   = "n_syn = n_syn_class AND n_syn > 0"
---*/
SELECT
    SUM(CASE WHEN {{ risky }} THEN counted_syn ELSE 0 END) AS numerator,
    SUM(synthetic) AS denominator
FROM {{ cells }}
