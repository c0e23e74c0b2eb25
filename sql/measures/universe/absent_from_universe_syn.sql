/*---
name    = "absent_from_universe_syn"
title   = "Synthetic records whose keys nobody in the universe has"
formula = "100 * sum of s_q where p_q = 0, / N_s"
source  = "the records that k-map and the risks leave out"
scale   = "percent"
kind    = "proportion of synthetic records"
unit    = "percent of synthetic records"
higher  = "more records that can name nobody"
order   = 15
says    = "Of {denominator} synthetic records, {numerator} ({value} %) have {keys} that nobody in the universe has."
raises  = "Combinations that the synthesizer invents; levels that the two files write in different ways."
do      = "Nobody is found by them; the other measures leave them out or count no risk for them."
needs   = "a universe"
# unchanged by [= → <=]: no count is below 0
---*/
SELECT
    SUM(CASE WHEN n_universe = 0 THEN counted_syn ELSE 0 END) AS numerator,
    SUM(synthetic) AS denominator
FROM {{ classes }}
