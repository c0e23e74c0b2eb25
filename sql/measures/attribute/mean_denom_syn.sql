/*---
name    = "mean_denom_syn"
title   = "Mean size of the correctly disclosed groups, in synthetic records"
formula = "sum of s_tq over the cells of DiSCO / number of those cells"
source  = "Raab, Nowok & Dibben, vignette 'disclosure' of synthpop 1.9-3, the text of sect. 3.3 (its code counts people)"
scale   = "ratio"
kind    = "synthetic records per cell"
unit    = "synthetic records per cell"
higher  = "larger groups of people for whom the same guess is right"
order   = 10
says    = "The groups whose {target} is revealed correctly by {keys} have {value} synthetic records on average ({numerator} in {denominator} groups)."
raises  = "Larger synthetic classes that agree on the target; more synthetic records."
do      = "Near 1, each sure guess rests on one synthetic record, as it might by chance: compare with DiSCO of a control group (--control)."
# unchanged by [= → >=]: a cell has no more records than its class
# unchanged by [n_orig → n_syn], n_orig [> → >=]: a cell without people adds 0
risky   = "n_syn = n_syn_class AND n_syn > 0 AND n_orig > 0"
---*/
SELECT
    SUM(CASE WHEN {{ risky }} AND counted_orig > 0 THEN synthetic ELSE 0 END) AS numerator,
    SUM(CASE WHEN {{ risky }} AND counted_orig > 0 THEN n_cells ELSE 0 END) AS denominator
FROM {{ cells }}
