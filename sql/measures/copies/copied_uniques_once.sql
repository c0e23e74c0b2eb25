/*---
name    = "copied_uniques_once"
title   = "Of the people with a unique row, those whose row is in exactly one synthetic record"
formula = "100 * number of people with x = y = 1, / number with x = 1; x people and y synthetic records have a row"
source  = "counts of whole rows, as repU of all columns; no verdict: Pilgram et al. 2025, Yao et al. 2025"
scale   = "percent"
kind    = "proportion of people"
unit    = "percent of people with a unique row"
higher  = "more rows of people in the file, by memory or by chance: control shows which"
order   = 5
says    = "Of {denominator} people whose row is unique, {numerator} ({value} %) have this row in exactly one synthetic record."
raises  = "As for copied_uniques. In a larger synthetic file rows repeat, which lowers it."
do      = "Compare with copied_uniques and with control."
# unchanged by [= → <=] 1 AND, n_orig [= → <=]: if the file has no record, nobody is counted and 0 is added
# unchanged by [counted_orig → people]: exclusions concern keys and targets, so they exclude no whole rows
# unchanged by [people → counted_orig]: exclusions concern keys and targets, so they exclude no whole rows
---*/
SELECT
    SUM(CASE WHEN n_orig = 1 AND n_syn = 1 THEN counted_orig ELSE 0 END) AS numerator,
    SUM(CASE WHEN n_orig = 1 THEN people ELSE 0 END) AS denominator
FROM {{ whole_rows }}
