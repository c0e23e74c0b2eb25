/*---
name    = "mean_denom"
title   = "Mean size of the correctly disclosed groups, in people"
formula = "sum of d_tq over the cells of DiSCO / number of those cells"
source  = "synthpop 1.9-3, disclosure()"
scale   = "ratio"
kind    = "people per cell"
unit    = "people per cell"
higher  = "larger groups of people for whom the same guess is right"
order   = 8
says    = "The groups whose {target} is revealed correctly by {keys} have {value} people on average ({numerator} in {denominator} groups)."
raises  = "Rules that hold for large classes; with many keys it falls toward 1."
do      = "Near 1, most people in DiSCO are the only one in their cell: look at them one by one. Far above 1, they are groups: see the one-way and two-way checks."
# unchanged by [= → >=]: a cell has no more records than its class
# unchanged by [n_orig → n_syn], n_orig [> → >=]: a cell without people adds 0
risky   = "n_syn = n_syn_class AND n_syn > 0 AND n_orig > 0"
# unchanged by [counted_orig → people] > 0 THEN counted_orig, [> → >=] 0 THEN counted_orig: a cell without people adds 0
# unchanged by THEN [counted_orig → people]: a cell is counted completely or not at all
---*/
SELECT
    SUM(CASE WHEN {{ risky }} AND counted_orig > 0 THEN counted_orig ELSE 0 END) AS numerator,
    SUM(CASE WHEN {{ risky }} AND counted_orig > 0 THEN n_cells ELSE 0 END) AS denominator
FROM {{ cells }}
