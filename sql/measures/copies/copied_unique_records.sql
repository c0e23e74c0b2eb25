/*---
name    = "copied_unique_records"
title   = "Of the synthetic records with a unique row, those that are the row of a person"
formula = "100 * number of records with y = 1 and x > 0, / number with y = 1; x people and y synthetic records have a row"
source  = "counts of whole rows; no verdict: Pilgram et al. 2025, Yao et al. 2025"
scale   = "percent"
kind    = "proportion of records like people"
unit    = "percent of synthetic records with a unique row"
higher  = "more rows of people in the file, by memory or by chance: control shows which"
order   = 8
says    = "Of {denominator} synthetic records whose row is unique, {numerator} ({value} %) have the row of a person."
raises  = "Rare rows that the synthesizer repeats, and many people: then rows are equal by chance."
do      = "Compare with control."
# unchanged by [= → <=]: if the file has no record, nobody is counted and 0 is added
# unchanged by [people → counted_orig]: exclusions concern keys and targets, so they exclude no whole rows
# unchanged by [counted_syn → synthetic]: exclusions concern keys and targets, so they exclude no whole rows
# unchanged by [synthetic → counted_syn]: exclusions concern keys and targets, so they exclude no whole rows
---*/
SELECT
    SUM(CASE WHEN n_syn = 1 AND people > 0 THEN counted_syn ELSE 0 END) AS numerator,
    SUM(CASE WHEN n_syn = 1 THEN synthetic ELSE 0 END) AS denominator
FROM {{ whole_rows }}
