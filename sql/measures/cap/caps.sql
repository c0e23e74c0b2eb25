/*---
name    = "CAPs"
title   = "Correct attribution probability, the synthetic file on itself"
formula = "100 * sum of s_tq * (s_tq / s_q) / N_s"
source  = "synthpop 1.9-3, disclosure(); Elliot 2014"
scale   = "percent"
unit    = "percent of synthetic records"
higher  = "more risk"
order   = 4
says    = "Within the synthetic file, a guess of {target} from records with the same {keys} is right for {value} % of {denominator} synthetic records on average."
---*/
SELECT
    COALESCE(SUM(CAST(counted_syn AS DOUBLE) * CAST(n_syn AS DOUBLE) / NULLIF(CAST(n_syn_class AS DOUBLE), 0)), 0) AS numerator,
    SUM(n_syn) AS denominator
FROM {{ cells }}
