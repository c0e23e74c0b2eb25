/*---
name    = "membership_ratio_FPR"
title   = "Membership against a reference: rate of false positives at the lowest threshold with at most a given percentage of them"
formula = "100 * greatest share of the people out of the synthesis with a ratio >= h that is at most x percent, over thresholds h"
source  = "Carlini et al. 2022 (true positives at few false positives); the ratio as in membership_ratio_AUC"
scale   = "percent"
kind    = "proportion at a threshold"
unit    = "percent of people out of the synthesis"
higher  = "a threshold nearer to what was asked for"
order   = 11
says    = "By {target}: of {denominator} people who were not in the synthesis, the threshold calls {numerator} ({value} %) a member; at most {at} % are allowed."
raises  = "Nothing in the synthesis: people with the same score are called members together, so the rate rises in steps."
do      = "If it is far below the rate that was asked for, give more people as control: half of them are the reference."
theme   = "membership"
at      = [0.1, 1, 5, 10]
needs   = "a reference"
---*/
SELECT
    SUM(CASE
        WHEN 100 * {{ at_denominator }} * n_out_from <= {{ at_numerator }} * n_out_all THEN n_out
        ELSE 0
    END) AS numerator,
    SUM(n_out) AS denominator
FROM {{ ratio_thresholds }}
