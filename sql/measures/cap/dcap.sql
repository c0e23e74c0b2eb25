/*---
name    = "DCAP"
title   = "Correct attribution probability, a non-match counts as zero"
formula = "100 * sum of d_tq * (s_tq / s_q) / N_d"
source  = "Raab 2024, eq. 6; Taub, Elliot, Pampaka & Smith 2018"
scale   = "percent"
kind    = "mean over people"
unit    = "percent of original records"
higher  = "more risk"
order   = 5
says    = "A guess of {target} from synthetic records with the same {keys} would be right for {value} % of {denominator} people on average."
raises  = "Keys that are found (iS), synthetic classes with the levels of the people they resemble, and a level that most people have."
do      = "Compare with baseCAPd and CAPd, and with people who were not in the synthesis (--control): what holds for them too is a general pattern. Otherwise coarsen the keys or smooth the synthesis."
above   = "synthetic"
of_original = "CAPd"
baseline = "baseCAPd"
headline = "guessed"
criterion = "inference"
keep    = 3
swept   = true
figures = ["accuracies"]
each    = "share_syn"
---*/
SELECT
    COALESCE(SUM(counted_orig * share_syn), 0) AS numerator,
    SUM(people) AS denominator
FROM {{ cells }}
