/*---
name    = "baseCAPd_within"
title   = "Baseline: a guess within the tolerance from the target's own distribution"
formula = "100 * sum over t of d_t / N_d * (sum over levels u within the tolerance of t of d_u / N_d)"
source  = "baseCAPd (Raab 2024, eq. 14) of numbers: a guess is right within the tolerance"
scale   = "percent"
kind    = "mean over all people"
unit    = "percent of original records"
higher  = "an easier guess without any file"
order   = 1
says    = "Someone who knows only how {target} is distributed would guess it within the tolerance for {value} % of {denominator} people on average."
raises  = "A greater tolerance, and values that lie close together."
do      = "It is the yardstick of CAP_within: with a generous tolerance it is high without any file."
above   = "baseline"
of_counted = "baseCAPd_counted_within"
theme   = "levels"
needs   = "a tolerance"
each    = "share_level_within"
---*/
SELECT
    SUM(people * share_level_within) AS numerator,
    SUM(people) AS denominator
FROM {{ within }}
