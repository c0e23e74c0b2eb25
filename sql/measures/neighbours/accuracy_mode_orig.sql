/*---
name    = "accuracy_mode_orig"
title   = "Always guessing the most frequent level of the original"
formula = "100 * (people of the modal levels t of d_t) / (number of modal levels) / N_d"
source  = "Hittmeir, Mayer & Ekelhart 2020, baseline"
scale   = "percent"
kind    = "mean over people"
unit    = "percent of original records"
higher  = "more that anybody can guess without the keys"
order   = 7
says    = "Always guessing the {target} that is most frequent in the original is right for {numerator} of {denominator} people ({value} %)."
raises  = "A target with one dominant level."
do      = "It is the baseline of someone who knows only the original's most frequent level; compare every other accuracy with it."
reads   = ["spread"]
theme   = "levels"
figures = ["accuracies"]
label   = "original mode"
mark    = "baseline"
knows   = "nothing"
---*/
SELECT
    SUM(expected_mode_orig) AS numerator,
    SUM(people) AS denominator
FROM {{ profiles }}
