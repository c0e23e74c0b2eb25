/*---
name    = "accuracy_mode"
title   = "Always guessing the most frequent level of the synthetic file"
formula = "100 * (people of the modal levels t of s_t) / (number of modal levels) / N_d"
source  = "Hittmeir, Mayer & Ekelhart 2020, baseline"
scale   = "percent"
kind    = "mean over people"
unit    = "percent of original records"
higher  = "more that anybody can guess without the keys"
order   = 6
says    = "Always guessing the {target} that is most frequent in the synthetic file is right for {numerator} of {denominator} people ({value} %)."
raises  = "A target with one dominant level that the synthetic file kept."
do      = "It is a baseline: these guesses need nobody's keys."
reads   = ["spread"]
theme   = "levels"
figures = ["accuracies"]
label   = "synthetic mode"
knows   = "nothing"
---*/
SELECT
    SUM(expected_mode) AS numerator,
    SUM(people) AS denominator
FROM {{ profiles }}
