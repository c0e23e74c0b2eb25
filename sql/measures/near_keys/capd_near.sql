/*---
name    = "CAPd_near"
title   = "Correct attribution within the tolerance, the original on itself"
formula = "100 * sum of d_tq * (d~_tq / d~_q) / N_d; d~: people within the tolerance"
source  = "CAPd (Raab 2024, eq. 7) where one key matches within a tolerance"
scale   = "percent"
kind    = "mean over people"
unit    = "percent of original records"
higher  = "more risk"
order   = 5
says    = "If the original file itself were published, a guess of {target} from records within the tolerance of {keys} would be right for {value} % of {denominator} people on average."
raises  = "What raises CAPd; a greater tolerance lowers it, as more records are looked at."
do      = "It is the original's own value, to compare DCAP_near with."
above   = "original"
needs   = "a tolerance on a key"
each    = "share_orig_reached"
---*/
SELECT
    COALESCE(SUM(counted_orig * share_orig_reached), 0) AS numerator,
    SUM(people) AS denominator
FROM {{ reached_cells }}
