/*---
name    = "accuracy_uniform"
title   = "Guessing any level of the synthetic file, each with equal chance"
formula = "100 * (people whose level occurs in the synthetic file) / (number of levels there) / N_d"
source  = "Hittmeir, Mayer & Ekelhart 2020, baseline"
scale   = "percent"
kind    = "mean over people"
unit    = "percent of original records"
higher  = "more that anybody can guess without the keys"
order   = 8
says    = "Guessing {target} blindly among the levels of the synthetic file is right for {value} % of {denominator} people on average."
raises  = "Fewer levels of the target in the synthetic file."
do      = "It is the simplest baseline: blind guessing."
reads   = ["spread"]
theme   = "levels"
figures = ["accuracies"]
label   = "any level"
knows   = "nothing"
---*/
SELECT
    SUM(expected_uniform) AS numerator,
    SUM(people) AS denominator
FROM {{ profiles }}
