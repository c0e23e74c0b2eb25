/*---
name    = "baseCAPd"
title   = "Baseline: a guess from the target's own distribution"
formula = "100 * sum over t of (d_t / N_d)^2"
source  = "Raab 2024, eq. 14 (misprinted there; read after sect. 3.3); Taub, Elliot, Pampaka & Smith 2018"
scale   = "percent"
kind    = "mean over all people"
unit    = "percent of original records"
higher  = "an easier guess without any file"
order   = 1
says    = "Someone who knows only how {target} is distributed would guess it correctly for {value} % of {denominator} people on average."
raises  = "A target with few levels, or with one that most people have."
do      = "It is the yardstick, not a risk: without any file, a guess is right this often. --baseline takes the distribution of the population from a file."
above   = "baseline"
of_counted = "baseCAPd_counted"
keep    = 7
swept   = true
theme   = "levels"
figures = ["accuracies"]
label   = "original shares"
each    = "share_level"
---*/
SELECT
    SUM(people * share_level) AS numerator,
    SUM(people) AS denominator
FROM {{ cells }}
