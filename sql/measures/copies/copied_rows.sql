/*---
name    = "copied_rows"
title   = "Distinct rows of the original that are in the synthetic file"
formula = "100 * number of rows with x > 0 and y > 0, / number with x > 0; x people and y synthetic records have a row"
source  = "counts of whole rows; no verdict: Pilgram et al. 2025, Yao et al. 2025"
scale   = "percent"
kind    = "proportion of rows"
unit    = "percent of different rows of the original"
higher  = "more rows of people in the file, by memory or by chance: control shows which"
order   = 6
says    = "Of {denominator} different rows that people have, {numerator} ({value} %) are in the synthetic file."
raises  = "As for copied_people; here a row counts once, however many people have it."
do      = "Compare it with control of about the same size: a larger file has more rows that are rare."
# unchanged by [people → counted_orig]: exclusions concern keys and targets, so they exclude no whole rows
---*/
SELECT
    SUM(CASE WHEN people > 0 AND n_syn > 0 THEN 1 ELSE 0 END) AS numerator,
    SUM(CASE WHEN people > 0 THEN 1 ELSE 0 END) AS denominator
FROM {{ whole_rows }}
