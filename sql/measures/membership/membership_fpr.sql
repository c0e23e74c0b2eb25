/*---
name    = "membership_FPR"
title   = "Membership: rate of false positives at the lowest threshold with at most a given percentage of them"
formula = "100 * greatest share of the people out of the synthesis with s_q >= h that is at most x percent, over thresholds h"
source  = "Carlini et al. 2022 (true positives at few false positives)"
scale   = "percent"
kind    = "proportion at a threshold"
unit    = "percent of people out of the synthesis"
higher  = "a threshold nearer to what was asked for"
order   = 4
says    = "Of {denominator} people who were not in the synthesis, the threshold calls {numerator} ({value} %) a member; at most {at} % are allowed."
raises  = "Nothing in the synthesis: people with the same score are called members together, so the rate rises in steps."
do      = "If it is far below the rate that was asked for, give more people as control, or see membership_TPR_drawn."
theme   = "membership"
at      = [0.1, 1, 5, 10]
needs   = "control"
---*/
SELECT
    SUM(CASE
        WHEN 100 * {{ at_denominator }} * n_out_from <= {{ at_numerator }} * n_out_all THEN n_out
        ELSE 0
    END) AS numerator,
    SUM(n_out) AS denominator
FROM {{ thresholds }}
