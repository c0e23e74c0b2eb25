/*---
name    = "accuracy_GCAP"
title   = "Majority vote of the nearest synthetic records"
formula = "100 * sum over q of (people of the modal levels among the nearest synthetic records) / (number of modal levels) / N_d"
source  = "Hittmeir, Mayer & Ekelhart 2020, Algorithm 3.1 (FR-NN), ties split evenly"
scale   = "percent"
kind    = "mean over people"
unit    = "percent of original records"
higher  = "more risk"
order   = 5
says    = "Guessing {target} by the most frequent level among the synthetic records that differ in the fewest of {keys} is right for {numerator} of {denominator} people ({value} %)."
raises  = "Nearest records whose majority is the true level."
do      = "Compare with accuracy_mode: if it is no better, the nearest records reveal no more than the file's most frequent level."
theme   = "near"
figures = ["accuracies"]
label   = "GCAP"
knows   = "keys"
---*/
SELECT
    COALESCE(SUM(CAST(counted_modal AS DOUBLE) / NULLIF(CAST(n_modal AS DOUBLE), 0)), 0) AS numerator,
    SUM(people) AS denominator
FROM {{ neighbour_profiles }}
