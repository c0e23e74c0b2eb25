/*---
name    = "DCAP_near_matched"
title   = "Correct attribution probability within the tolerance, non-matches left out"
formula = "100 * sum of d_tq * (s~_tq / s~_q) / people with s~_q > 0; s~: synthetic records within the tolerance"
source  = "DCAP_matched (Taub, Elliot, Pampaka & Smith 2018) where one key matches within a tolerance"
scale   = "percent"
kind    = "mean over people"
unit    = "percent of original records in matched classes"
higher  = "more risk"
order   = 7
says    = "Among the {denominator} people who have a synthetic record within the tolerance of their {keys}, a guess of {target} would be right for {value} % on average."
raises  = "What raises DCAP_near, among the people who are found."
do      = "Read it with iS_near: if iS_near is small, a high value is about few people."
above   = "synthetic"
needs   = "a tolerance on a key"
each    = "share_syn"
among   = "n_syn_class > 0"
---*/
SELECT
    COALESCE(SUM(counted_orig * share_syn), 0) AS numerator,
    SUM(CASE WHEN n_syn_class > 0 THEN people ELSE 0 END) AS denominator
FROM {{ reached_cells }}
