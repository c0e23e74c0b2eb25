/*---
name    = "CAP_within_matched"
title   = "Correct attribution within the tolerance, non-matches left out"
formula = "100 * sum of d_tq * (sum over levels u within the tolerance of t of s_uq / s_q) / people whose q occurs in the synthetic file"
source  = "DCAP_matched (Taub, Elliot, Pampaka & Smith 2018) of numbers: a guess is right within the tolerance"
scale   = "percent"
kind    = "mean over people"
unit    = "percent of original records in matched classes"
higher  = "more risk"
order   = 5
says    = "Among the {denominator} people whose {keys} occur in the synthetic file, a guess of {target} would be within the tolerance of the truth for {value} % on average."
raises  = "What raises CAP_within, among the people who are found."
do      = "Read it with iS: if iS is small, a high value is about few people."
above   = "synthetic"
theme   = "within"
needs   = "a tolerance"
each    = "share_syn_within"
among   = "n_syn_class > 0"
---*/
SELECT
    COALESCE(SUM(counted_orig * share_syn_within), 0) AS numerator,
    SUM(CASE WHEN n_syn_class > 0 THEN people ELSE 0 END) AS denominator
FROM {{ within }}
