/*---
name    = "CAPd_within"
title   = "Correct attribution within the tolerance, the original on itself"
formula = "100 * sum of d_tq * (sum over levels u within the tolerance of t of d_uq / d_q) / N_d"
source  = "CAPd (Raab 2024, eq. 7) of numbers: a guess is right within the tolerance"
scale   = "percent"
kind    = "mean over people"
unit    = "percent of original records"
higher  = "more risk"
order   = 3
says    = "If the original file itself were published, a guess of {target} from records with the same {keys} would be within the tolerance of the truth for {value} % of {denominator} people on average."
raises  = "A greater tolerance, small classes, and keys that predict the number."
do      = "It is the original's own value, to compare CAP_within with."
above   = "original"
theme   = "within"
needs   = "a tolerance"
each    = "share_orig_within"
---*/
SELECT
    COALESCE(SUM(counted_orig * share_orig_within), 0) AS numerator,
    SUM(people) AS denominator
FROM {{ within }}
