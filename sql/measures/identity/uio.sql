/*---
name    = "UiO"
title   = "Unique in original"
formula = "100 * number of people with d_q = 1 / N_d"
source  = "Raab 2024, eq. 2"
scale   = "percent"
unit    = "percent of original records"
higher  = "more risk"
order   = 1
says    = "Of {denominator} people, {numerator} ({value} %) are the only one with their combination of {keys} in the original file."
risky   = "n_orig = 1"
---*/
SELECT
    SUM(CASE WHEN {{ risky }} THEN counted_orig ELSE 0 END) AS numerator,
    SUM(people) AS denominator
FROM {{ classes }}
