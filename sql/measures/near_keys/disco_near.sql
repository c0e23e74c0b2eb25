/*---
name    = "DiSCO_near"
title   = "Correctly disclosed: all synthetic records within the tolerance agree on the target, and they are right"
formula = "100 * sum of d_tq where s~_tq = s~_q > 0, / N_d; s~: synthetic records within the tolerance"
source  = "DiSCO (Raab 2024, eq. 11) where one key matches within a tolerance"
scale   = "percent"
kind    = "proportion of people"
unit    = "percent of original records"
higher  = "more risk"
order   = 9
says    = "Of {denominator} people, {numerator} ({value} %) would have {target} revealed, correctly, by someone who knows {keys}, one of them within the tolerance, and holds only the synthetic file."
raises  = "Synthetic records within the tolerance that all have one level of the target, the true one."
do      = "List the cells (sqlrisk cells DiSCO_near). Coarsen the key rather than move its values, then as for DiSCO."
above   = "synthetic"
of_original = "Dorig_near"
needs   = "a tolerance on a key"
# unchanged by [= → >=]: a cell has no more records than its class
# unchanged by [n_orig → n_syn], n_orig [> → >=]: a cell without people adds 0
risky   = "n_syn = n_syn_class AND n_syn > 0 AND n_orig > 0"
---*/
SELECT
    SUM(CASE WHEN {{ risky }} THEN counted_orig ELSE 0 END) AS numerator,
    SUM(people) AS denominator
FROM {{ reached_cells }}
