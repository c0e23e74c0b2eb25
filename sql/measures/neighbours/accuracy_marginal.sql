/*---
name    = "accuracy_marginal"
title   = "Guessing each level as often as the synthetic file has it"
formula = "100 * sum over t of d_t / N_d * s_t / N_s"
source  = "Hittmeir, Mayer & Ekelhart 2020, baseline"
scale   = "percent"
kind    = "mean over people"
unit    = "percent of original records"
higher  = "more that anybody can guess without the keys"
order   = 9
says    = "Drawing {target} from all synthetic records, ignoring their keys, is right for {value} % of {denominator} people on average."
raises  = "A target with few levels or a dominant one, distributed as in the original."
do      = "It is a baseline: this guess uses nobody's keys."
reads   = ["spread"]
theme   = "levels"
figures = ["accuracies"]
label   = "synthetic shares"
knows   = "nothing"
---*/
SELECT
    COALESCE(SUM(expected_shuffled), 0) AS numerator,
    SUM(people) AS denominator
FROM {{ profiles }}
