/*---
name    = "CAPs"
title   = "Correct attribution probability, the synthetic file on itself"
formula = "100 * sum of s_tq * (s_tq / s_q) / N_s"
source  = "synthpop 1.9-3, disclosure(); Elliot 2014"
scale   = "percent"
kind    = "mean over synthetic records"
unit    = "percent of synthetic records"
higher  = "more apparent risk; by itself it says nothing about real people"
order   = 4
says    = "Within the synthetic file, a guess of {target} from records with the same {keys} is right for {value} % of {denominator} synthetic records on average."
raises  = "Small synthetic classes, and keys that predict the target within the synthetic file."
do      = "It needs no action: synthetic records belong to no real person. If it is far from CAPd, the synthesis has changed how keys and target go together, or how large classes are."
---*/
SELECT
    COALESCE(SUM(counted_syn * share_syn), 0) AS numerator,
    SUM(synthetic) AS denominator
FROM {{ cells }}
