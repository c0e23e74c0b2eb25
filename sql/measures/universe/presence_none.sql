/*---
name    = "presence_none"
title   = "People of the universe whose keys the original lacks"
formula = "100 * sum of p_q where d_q = 0, / N_p"
source  = "Nergiz, Atzori & Clifton 2007, def. 3 (delta-presence); ARX: delta 0"
scale   = "percent"
kind    = "share of the universe"
unit    = "percent of the people of the universe"
higher  = "more people are known not to be in the file"
order   = 11
says    = "Of {denominator} people of the universe, {numerator} ({value} %) have {keys} that no record of the original has."
raises  = "A small file, and fine keys."
do      = "These people are known not to be in the file. In a file of ill people, for example, they are known not to be ill."
needs   = "a universe"
# unchanged by [= → <=]: no count is below 0
---*/
SELECT
    SUM(CASE WHEN n_orig = 0 THEN counted_universe ELSE 0 END) AS numerator,
    SUM(n_universe) AS denominator
FROM {{ classes }}
