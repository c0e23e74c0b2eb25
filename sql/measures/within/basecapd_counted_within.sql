/*---
name    = "baseCAPd_counted_within"
title   = "Baseline within the tolerance, over the people who remain after exclusions"
formula = "100 * sum over counted cells of d_tq * (sum over levels u within the tolerance of t of d_u / N_d) / N_d"
source  = "baseCAPd_counted of numbers: a guess is right within the tolerance"
scale   = "percent"
kind    = "mean over people"
unit    = "percent of original records"
higher  = "an easier guess without any file"
order   = 2
says    = "Someone who knows only how {target} is distributed would guess it within the tolerance for {value} % of {denominator} people on average, counting only cells that are not excluded."
raises  = "What raises baseCAPd_within, and fewer exclusions."
do      = "Compare CAP_within with it whenever anybody is excluded."
above   = "baseline"
theme   = "levels"
needs   = "a tolerance"
each    = "share_level_within"
---*/
SELECT
    COALESCE(SUM(counted_orig * share_level_within), 0) AS numerator,
    SUM(people) AS denominator
FROM {{ within }}
