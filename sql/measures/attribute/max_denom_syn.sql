/*---
name    = "max_denom_syn"
title   = "Largest correctly disclosed group, in synthetic records"
formula = "max of s_tq over the cells of DiSCO"
source  = "Raab, Nowok & Dibben, vignette 'disclosure' of synthpop 1.9-3, the text of sect. 3.3 (its code counts people)"
scale   = "count"
kind    = "extreme count"
unit    = "synthetic records per cell"
higher  = "larger groups of people for whom the same guess is right"
order   = 9
says    = "The largest group whose {target} is revealed correctly by {keys} has {value} synthetic records."
raises  = "What raises max_denom, and more synthetic records."
do      = "As for max_denom. A sure guess that many synthetic records support convinces an intruder more than one that rests on a single record."
# unchanged by [= → >=]: a cell has no more records than its class
# unchanged by [n_orig → n_syn], n_orig [> → >=]: a cell without people adds 0
risky   = "n_syn = n_syn_class AND n_syn > 0 AND n_orig > 0"
---*/
SELECT
    MAX(CASE WHEN {{ risky }} AND counted_orig > 0 THEN n_syn END) AS value
FROM {{ cells }}
