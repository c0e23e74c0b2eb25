/*---
name    = "DCAP_near"
title   = "Correct attribution probability within the tolerance, a non-match counts as zero"
formula = "100 * sum of d_tq * (s~_tq / s~_q) / N_d; s~: synthetic records within the tolerance"
source  = "DCAP (Raab 2024, eq. 6) where one key matches within a tolerance"
scale   = "percent"
kind    = "mean over people"
unit    = "percent of original records"
higher  = "more risk"
order   = 6
says    = "A guess of {target} from synthetic records within the tolerance of {keys} would be right for {value} % of {denominator} people on average."
raises  = "Keys that are found, and synthetic records within the tolerance that have the level of the people they resemble."
do      = "Compare with CAPd_near and baseCAPd. If it is higher than DCAP, the synthesis may have moved the key and kept what goes with it, or more people are found by chance."
above   = "synthetic"
of_original = "CAPd_near"
needs   = "a tolerance on a key"
each    = "share_syn"
---*/
SELECT
    COALESCE(SUM(counted_orig * share_syn), 0) AS numerator,
    SUM(people) AS denominator
FROM {{ reached_cells }}
