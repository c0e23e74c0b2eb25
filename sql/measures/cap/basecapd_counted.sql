/*---
name    = "baseCAPd_counted"
title   = "Baseline over the people who remain after exclusions"
formula = "100 * sum over counted cells of d_tq * d_t / N_d^2"
source  = "after Raab 2024, sect. 5; equals baseCAPd when nothing is excluded"
scale   = "percent"
kind    = "mean over people"
unit    = "percent of original records"
higher  = "an easier guess without any file"
order   = 2
says    = "Someone who knows only how {target} is distributed would guess it correctly for {value} % of {denominator} people on average, counting only cells that are not excluded."
raises  = "What raises baseCAPd, and fewer exclusions."
do      = "Compare DCAP with it, rather than with baseCAPd, whenever anybody is excluded."
above   = "baseline"
theme   = "levels"
each    = "share_level"
---*/
SELECT
    SUM(counted_orig * share_level) AS numerator,
    SUM(people) AS denominator
FROM {{ cells }}
