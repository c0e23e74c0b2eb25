/*---
name    = "copied_uniques"
title   = "Of the people with a unique row, those whose row is in the synthetic file"
formula = "100 * number of people with x = 1 and y > 0, / number with x = 1; x people and y synthetic records have a row"
source  = "counts of whole rows; no verdict: Pilgram et al. 2025, Yao et al. 2025"
scale   = "percent"
kind    = "proportion of people"
unit    = "percent of people with a unique row"
higher  = "more rows of people in the file, by memory or by chance: control shows which"
order   = 4
says    = "Of {denominator} people whose row is unique, {numerator} ({value} %) have this row in a synthetic record."
raises  = "A synthesizer that repeats records; few columns with few levels."
do      = "Compare it with control of about the same size, since fewer rows are unique in a larger file. The assessment calls a file a copy if, beyond chance, it has half of these rows."
# unchanged by [= → <=]: if the file has no record, nobody is counted and 0 is added
# unchanged by [counted_orig → people]: exclusions concern keys and targets, so they exclude no whole rows
# unchanged by [people → counted_orig]: exclusions concern keys and targets, so they exclude no whole rows
---*/
SELECT
    SUM(CASE WHEN n_orig = 1 AND n_syn > 0 THEN counted_orig ELSE 0 END) AS numerator,
    SUM(CASE WHEN n_orig = 1 THEN people ELSE 0 END) AS denominator
FROM {{ whole_rows }}
