/*---
name    = "CAPd_others_left_out"
title   = "Correct attribution by the others in the original, people without others left out"
formula = "100 * sum of d_tq * (d_tq - 1) / (d_q - 1) / people with d_q > 1; for control d_tq / d_q where d_q > 0"
source  = "Francis & Wagner 2024 (the baseline of people who are not in the data), from counts; CAPd (Raab 2024, eq. 7)"
scale   = "percent"
kind    = "mean over people"
unit    = "percent of original records in classes with others"
higher  = "a better guess without the person's own record"
order   = 2
says    = "Of the {denominator} people who share their {keys} with others in the original file, a guess of {target} from these others would be right for {value} % on average."
raises  = "Keys that predict the target of people in general."
do      = "Compare it with DCAP_matched. If it is far above CAPd_others, many people are unique on the keys: nobody else's record with these keys reveals them, and what the synthetic file reveals may come from their own."
reads   = ["others"]
each    = "share_others"
among   = "n_others_class > 0"
---*/
SELECT
    COALESCE(SUM(counted_orig * share_others), 0) AS numerator,
    SUM(CASE WHEN n_others_class > 0 THEN people ELSE 0 END) AS denominator
FROM {{ cells }}
