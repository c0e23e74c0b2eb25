/*---
name    = "absent_from_universe"
title   = "People whose keys nobody in the universe has"
formula = "100 * sum of d_q where p_q = 0, / N_d"
source  = "the records that k-map and the risks leave out"
scale   = "percent"
kind    = "proportion of people"
unit    = "percent of original records"
higher  = "the original is not a sample of the universe"
order   = 3
says    = "Of {denominator} people, {numerator} ({value} %) have {keys} that nobody in the universe has."
raises  = "A universe that lacks some of the people; levels that the two files write in different ways."
do      = "Above 0, the original is not a sample of this universe: correct the files before you read the other measures."
needs   = "a universe"
# unchanged by [= → <=]: no count is below 0
---*/
SELECT
    SUM(CASE WHEN n_universe = 0 THEN counted_orig ELSE 0 END) AS numerator,
    SUM(people) AS denominator
FROM {{ classes }}
