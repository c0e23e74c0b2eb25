/*---
name    = "R_known_DCAP"
title   = "Known anyway: part of the gap between correct attribution and certainty that exclusions explain"
formula = "(DCAP of all - DCAP after exclusions) / (100 - DCAP after exclusions)"
source  = "Raab 2024, sect. 5"
scale   = "ratio"
kind    = "ratio of sums over people"
unit    = "proportion of the gap between DCAP after exclusions and 100 %"
higher  = "more of the disclosure was known anyway"
order   = 5
says    = "Correct guesses of {target} that count as known anyway make up a proportion of {value} of the gap between the correct guesses after exclusions and 100 %."
raises  = "More exclusions, and exclusions of levels that are easily guessed."
do      = "As for R_known_DiSCO: give the reason for each exclusion in the release note."
needs   = "exclusions"
---*/
SELECT
    COALESCE(SUM((people - counted_orig) * share_syn), 0) AS numerator,
    SUM(people - COALESCE(counted_orig * share_syn, 0)) AS denominator
FROM {{ cells }}
