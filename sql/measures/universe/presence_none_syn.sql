/*---
name    = "presence_none_syn"
title   = "People of the universe whose keys the synthetic file lacks"
formula = "100 * sum of p_q where s_q = 0, / N_p"
source  = "Nergiz, Atzori & Clifton 2007, def. 3 (delta-presence); ARX: delta 0"
scale   = "percent"
kind    = "share of the universe"
unit    = "percent of the people of the universe"
higher  = "more people look as if they were not in the file"
order   = 23
says    = "Of {denominator} people of the universe, {numerator} ({value} %) have {keys} that no record of the synthetic file has."
raises  = "A small file, and fine keys."
do      = "Compare with presence_none, of the original: a good file differs little."
needs   = "a universe"
# unchanged by [= → <=]: no count is below 0
---*/
SELECT
    SUM(CASE WHEN n_syn = 0 THEN counted_universe ELSE 0 END) AS numerator,
    SUM(n_universe) AS denominator
FROM {{ classes }}
