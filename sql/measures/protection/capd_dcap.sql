/*---
name    = "CAPd-DCAP"
title   = "Correct attribution that the synthesis takes away"
formula = "CAPd - DCAP"
source  = "Raab 2024, sect. 3.3"
scale   = "percent"
kind    = "mean over people"
unit    = "percentage points of original records"
higher  = "more protection by the synthesis"
sense   = "more protection"
order   = 3
says    = "A guess of {target} from the synthetic file is right for {value} percentage points fewer of {denominator} people than one from the original file; below zero for more."
raises  = "Keys that are not found, and a target that follows the keys less closely than in the original."
do      = "Near 0 the synthesis takes nothing from a guesser. Far from it, check that the file is still of use."
each    = "COALESCE(share_orig, 0) - COALESCE(share_syn, 0)"
---*/
SELECT
    SUM(
        COALESCE(counted_orig * share_orig, 0)
        - COALESCE(counted_orig * share_syn, 0)
    ) AS numerator,
    SUM(people) AS denominator
FROM {{ cells }}
