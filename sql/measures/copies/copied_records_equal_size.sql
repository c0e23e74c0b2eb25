/*---
name    = "copied_records_equal_size"
title   = "Synthetic records equal to the whole row of a person, if original and control had the same number of people"
formula = "100 * sum of (y / N_s) * (1 - C(N - x, n) / C(N, n)), N people in the group (original or control), n in the smaller group; x of the N people and y synthetic records have a row"
source  = "expectation of a hypergeometric draw of n people; no verdict: Pilgram et al. 2025, Yao et al. 2025"
scale   = "percent"
kind    = "mean over records like people"
unit    = "percent of synthetic records"
higher  = "more rows of people in the file; above control, by memory"
order   = 9
needs   = "control"
says    = "Of {denominator} synthetic records, {value} % are expected to have all values of a person, if equally many people are drawn from the original and from control."
raises  = "As for copied_records, but a difference in size between original and control has no effect."
do      = "Compare the original with control: chance does not explain a clearly higher number. An equal or lower one says nothing about other attacks."
reads   = ["draws"]
# unchanged by [counted_syn → synthetic]: exclusions concern keys and targets, so they exclude no whole rows
# unchanged by [synthetic → counted_syn]: exclusions concern keys and targets, so they exclude no whole rows
---*/
SELECT
    SUM(counted_syn * chance_drawn) AS numerator,
    SUM(synthetic) AS denominator
FROM {{ whole_rows }}
