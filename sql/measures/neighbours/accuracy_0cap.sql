/*---
name    = "accuracy_0CAP"
title   = "Majority vote of the synthetic class, a non-match is wrong"
formula = "100 * sum over q of (people of the modal levels of s_tq) / (number of modal levels) / N_d"
source  = "Baillargeon & Charest 2020, records predicted correctly; the vote of SDMetrics' CategoricalZeroCAP"
scale   = "percent"
kind    = "mean over people"
unit    = "percent of original records"
higher  = "more risk"
order   = 1
says    = "Guessing {target} by the most frequent level among synthetic records with the same {keys} is right for {numerator} of {denominator} people ({value} %); whoever is not found counts as wrong."
raises  = "Keys that are found, and classes whose majority is the true level."
do      = "Compare with accuracy_mode, which knows no keys: the difference is what the keys add."
figures = ["accuracies"]
label   = "0CAP"
knows   = "keys"
---*/
SELECT
    COALESCE(SUM(CAST(counted_modal AS DOUBLE) / NULLIF(CAST(n_modal AS DOUBLE), 0)), 0) AS numerator,
    SUM(people) AS denominator
FROM {{ profiles }}
