/*---
name    = "DCAP-CAPd_others"
title   = "Correct attribution beyond the others in the original"
formula = "DCAP - CAPd_others"
source  = "sqlrisk; Francis & Wagner 2024 (the baseline of people who are not in the data), from counts"
scale   = "percent"
kind    = "mean over people"
unit    = "percentage points of original records"
higher  = "more risk"
order   = 3
says    = "A guess of {target} from the synthetic file is right for {value} percentage points more of {denominator} people than one from the others in the original file; below zero for fewer."
raises  = "A synthetic file with the levels of people who are unique, or differ from all others in their class."
do      = "Above 0 the file reveals more about people than the other records with their keys do: look at DCAP_above_others and DiSCO_own. A mean of 0 hides people above and below."
reads   = ["others"]
each    = "COALESCE(share_syn, 0) - COALESCE(share_others, 0)"
---*/
SELECT
    SUM(
        COALESCE(counted_orig * share_syn, 0)
        - COALESCE(counted_orig * share_others, 0)
    ) AS numerator,
    SUM(people) AS denominator
FROM {{ cells }}
