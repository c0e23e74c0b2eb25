/*---
name    = "CAPd_others"
title   = "Correct attribution by the others in the original, a person without others counts as zero"
formula = "100 * sum of d_tq * (d_tq - 1) / (d_q - 1) / N_d; 0 if d_q = 1; for control d_tq / d_q"
source  = "Francis & Wagner 2024 (the baseline of people who are not in the data), from counts; CAPd (Raab 2024, eq. 7)"
scale   = "percent"
kind    = "mean over people"
unit    = "percent of original records"
higher  = "a better guess without the person's own record"
order   = 1
says    = "If the original file were published without the person's own record, a guess of {target} from the others with the same {keys} would be right for {value} % of {denominator} people on average."
raises  = "Keys that predict the target of people in general, and large classes: people who are unique on the keys have no others."
do      = "It is the yardstick for DCAP: a guess as good as this needs no record of the person. Relatives in the file count as others, so some of it may come from the household."
reads   = ["others"]
each    = "share_others"
---*/
SELECT
    COALESCE(SUM(counted_orig * share_others), 0) AS numerator,
    SUM(people) AS denominator
FROM {{ cells }}
