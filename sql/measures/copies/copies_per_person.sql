/*---
name    = "copies_per_person"
title   = "Mean number of synthetic records equal to a person's whole row"
formula = "sum of x * y / N_d; x people and y synthetic records have a row"
source  = "counts of whole rows; no verdict: Pilgram et al. 2025, Yao et al. 2025"
scale   = "ratio"
kind    = "mean count over people"
unit    = "synthetic records per person"
higher  = "more rows of people in the file, by memory or by chance: control shows which"
order   = 3
says    = "{denominator} people have {value} synthetic records each with all their values, on average."
raises  = "Rows that many people have, and a larger synthetic file."
do      = "Compare it with control; rows of many people make nearly all of it."
# unchanged by [counted_orig → people]: exclusions concern keys and targets, so they exclude no whole rows
# unchanged by [people → counted_orig]: exclusions concern keys and targets, so they exclude no whole rows
---*/
SELECT
    SUM(counted_orig * CAST(n_syn AS DOUBLE)) AS numerator,
    SUM(people) AS denominator
FROM {{ whole_rows }}
