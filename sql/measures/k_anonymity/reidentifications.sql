/*---
name    = "reidentifications"
title   = "Expected re-identifications in the original, picking at random among the records with each person's keys"
formula = "100 * sum over people of 1 / d_q / N_d"
source  = "Templ, Kowarik & Meindl 2015 (global risk without weights: sdcMicro 5.8.1, measure_risk)"
scale   = "percent"
kind    = "mean over people"
unit    = "percent of original records"
higher  = "more risk"
order   = 2
says    = "If someone who holds the original file picks at random among the records with a person's {keys}, they pick that person's own record for {numerator} of {denominator} people ({value} %) on average."
raises  = "Small classes of the original: it counts one person for each class."
do      = "It is about the original published without names, a reference for repU. Fewer or coarser keys lower it."
each    = "CAST(1 AS DOUBLE) / NULLIF(CAST(n_orig AS DOUBLE), 0)"
---*/
SELECT
    COALESCE(SUM(CAST(counted_orig AS DOUBLE) / NULLIF(CAST(n_orig AS DOUBLE), 0)), 0) AS numerator,
    SUM(people) AS denominator
FROM {{ classes }}
