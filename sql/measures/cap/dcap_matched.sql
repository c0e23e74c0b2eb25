/*---
name    = "DCAP_matched"
title   = "Correct attribution probability, non-matches left out"
formula = "100 * sum of d_tq * (s_tq / s_q) / people whose q occurs in the synthetic file"
source  = "Taub, Elliot, Pampaka & Smith 2018"
scale   = "percent"
kind    = "mean over people"
unit    = "percent of original records in matched classes"
higher  = "more risk"
order   = 6
says    = "Among the {denominator} people whose {keys} occur in the synthetic file, a guess of {target} would be right for {value} % on average."
raises  = "What raises DCAP, among the people who are found. People with rare keys often are not."
do      = "Read it with iS: if iS is small, a high value is about few people. Then as for DCAP."
above   = "synthetic"
of_original = "CAPd"
each    = "share_syn"
among   = "n_syn_class > 0"
---*/
SELECT
    COALESCE(SUM(counted_orig * share_syn), 0) AS numerator,
    SUM(CASE WHEN n_syn_class > 0 THEN people ELSE 0 END) AS denominator
FROM {{ cells }}
