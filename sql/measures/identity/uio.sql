/*---
name    = "UiO"
title   = "Unique in original"
formula = "100 * number of people with d_q = 1, / N_d"
source  = "Raab 2024, eq. 2"
scale   = "percent"
kind    = "proportion of people"
unit    = "percent of original records"
higher  = "more risk"
order   = 1
says    = "Of {denominator} people, {numerator} ({value} %) are the only one with their combination of {keys} in the original file."
raises  = "More keys or finer ones (age in years, small areas), and fewer people in the file."
do      = "Coarsen or leave out the keys that single people out: sqlrisk uniques and sqlrisk sweep say which. No synthesis lowers it: it is what repU is compared with."
criterion = "singling out"
keep    = 6
swept   = true
# unchanged by [= → <=]: a class without people adds 0
risky   = "n_orig = 1"
---*/
SELECT
    SUM(CASE WHEN {{ risky }} THEN counted_orig ELSE 0 END) AS numerator,
    SUM(people) AS denominator
FROM {{ classes }}
