/*---
name    = "copied_people"
title   = "People whose whole row is in the synthetic file"
formula = "100 * sum of x where y > 0, / N_d; x people and y synthetic records have a row"
source  = "counts of whole rows; no verdict: Pilgram et al. 2025, Yao et al. 2025"
scale   = "percent"
kind    = "proportion of people"
unit    = "percent of original records"
higher  = "more rows of people in the file, by memory or by chance: control shows which"
order   = 1
says    = "Of {denominator} people, {numerator} ({value} %) have all their values in one synthetic record."
raises  = "A synthesizer that repeats what it was given, many records, and few columns with few levels: then rows are equal by chance."
do      = "Compare it with control: the rows of people who were not in the synthesis are in the file only by chance. It is a diagnostic: files that pass it may still reveal people."
# unchanged by [counted_orig → people]: exclusions concern keys and targets, so they exclude no whole rows
# unchanged by [people → counted_orig]: exclusions concern keys and targets, so they exclude no whole rows
---*/
SELECT
    SUM(CASE WHEN n_syn > 0 THEN counted_orig ELSE 0 END) AS numerator,
    SUM(people) AS denominator
FROM {{ whole_rows }}
