/*---
name    = "CAPd"
title   = "Correct attribution probability, the original on itself"
formula = "100 * sum of d_tq * (d_tq / d_q) / N_d"
source  = "Raab 2024, eq. 7; Elliot 2014"
scale   = "percent"
kind    = "mean over people"
unit    = "percent of original records"
higher  = "more risk"
order   = 3
says    = "If the original file itself were published, a guess of {target} from records with the same {keys} would be right for {value} % of {denominator} people on average."
raises  = "Keys that predict the target, and small classes: people who are unique on the keys are guessed with certainty."
do      = "It is the original's own value. DCAP close to it says that the synthetic file reveals as much as publishing the original would. Fewer or coarser keys lower both."
above   = "original"
keep    = 4
swept   = true
figures = ["accuracies"]
label   = "the original itself"
each    = "share_orig"
---*/
SELECT
    COALESCE(SUM(counted_orig * share_orig), 0) AS numerator,
    SUM(people) AS denominator
FROM {{ cells }}
