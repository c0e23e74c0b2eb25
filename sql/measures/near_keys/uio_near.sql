/*---
name    = "UiO_near"
title   = "Unique in original within the tolerance"
formula = "100 * number of people with d~_q = 1, / N_d; d~_q: people within the tolerance of q"
source  = "UiO (Raab 2024, eq. 2) where one key matches within a tolerance"
scale   = "percent"
kind    = "proportion of people"
unit    = "percent of original records"
higher  = "more risk"
order   = 1
says    = "Of {denominator} people, {numerator} ({value} %) are the only one within the tolerance of their {keys} in the original file: someone who knows one of these keys only within the tolerance finds nobody else."
raises  = "A smaller tolerance, more keys or finer ones, and fewer people in the file."
do      = "Compare with UiO: the difference is people who are singled out only by the exact value."
needs   = "a tolerance on a key"
# unchanged by [= → <=]: a person is within their own tolerance
risky   = "n_orig_reached = 1"
---*/
SELECT
    SUM(CASE WHEN {{ risky }} THEN counted_orig ELSE 0 END) AS numerator,
    SUM(people) AS denominator
FROM {{ reached_classes }}
