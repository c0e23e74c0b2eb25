/*---
name    = "Dorig-DiSCO"
title   = "Disclosure that the synthesis takes away"
formula = "Dorig - DiSCO"
source  = "Raab 2024, sect. 3.3"
scale   = "percent"
kind    = "difference of proportions"
unit    = "percentage points of original records"
higher  = "more protection by the synthesis"
sense   = "more protection"
order   = 2
says    = "The synthetic file reveals {target} correctly for {numerator} fewer people ({value} % of {denominator}) than the original file would; below zero it reveals more."
raises  = "A synthetic file in which the people whom the original reveals are not found, are in mixed classes, or are shown wrongly."
do      = "Below 0 the synthetic file reveals more people correctly than the original would. Check whether the synthesizer makes the target follow from the keys."
# unchanged by [= → >=]: a cell has no more records than its class
# unchanged by n_orig [> → >=]: a cell without people adds 0
each    = "CASE WHEN n_orig = n_orig_class AND n_orig > 0 THEN 1 ELSE 0 END - CASE WHEN n_syn = n_syn_class AND n_syn > 0 THEN 1 ELSE 0 END"
# unchanged by [= → >=]: a cell has no more records than its class
# unchanged by n_orig [> → >=]: a cell without people adds 0
---*/
SELECT
    SUM(
        CASE WHEN n_orig = n_orig_class AND n_orig > 0 THEN counted_orig ELSE 0 END
        - CASE WHEN n_syn = n_syn_class AND n_syn > 0 THEN counted_orig ELSE 0 END
    ) AS numerator,
    SUM(people) AS denominator
FROM {{ cells }}
