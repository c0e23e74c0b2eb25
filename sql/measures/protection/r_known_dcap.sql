/*---
name    = "R_known_DCAP"
title   = "Known anyway: what exclusions take out of DCAP"
formula = "(DCAP of all - DCAP after exclusions) / (100 - DCAP after exclusions)"
source  = "Raab 2024, sect. 5"
scale   = "ratio"
kind    = "ratio of sums over people"
unit    = "proportion of the way from DCAP after exclusions to 100 %"
higher  = "more of the disclosure was known anyway"
order   = 5
says    = "The correct guesses of {target} that count as known anyway make a proportion of {value} of the way from DCAP after exclusions to 100 %."
raises  = "More exclusions, and exclusions of levels that are easily guessed."
do      = "As for R_known_DiSCO: give the reason for each exclusion in the release note."
needs   = "exclusions"
---*/
SELECT
    COALESCE(SUM((people - counted_orig) * share_syn), 0) AS numerator,
    SUM(people - COALESCE(counted_orig * share_syn, 0)) AS denominator
FROM {{ cells }}
