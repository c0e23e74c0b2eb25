/*---
name    = "CAP_within"
title   = "Correct attribution within the tolerance, a non-match counts as zero"
formula = "100 * sum of d_tq * (sum over levels u within the tolerance of t of s_uq / s_q) / N_d"
source  = "DCAP (Raab 2024, eq. 6) of numbers: a guess is right within the tolerance"
scale   = "percent"
kind    = "mean over people"
unit    = "percent of original records"
higher  = "more risk"
order   = 4
says    = "A guess of {target} from synthetic records with the same {keys} would be within the tolerance of the truth for {value} % of {denominator} people on average."
raises  = "A greater tolerance, keys that are found, and synthetic classes with numbers near those of the people they resemble."
do      = "Choose the tolerance by what would harm a person, not by the result. Compare with baseCAPd_within and CAPd_within, then act as for DCAP."
above   = "synthetic"
of_original = "CAPd_within"
theme   = "within"
needs   = "a tolerance"
each    = "share_syn_within"
---*/
SELECT
    COALESCE(SUM(counted_orig * share_syn_within), 0) AS numerator,
    SUM(people) AS denominator
FROM {{ within }}
