/*---
name    = "R_known_DiSCO"
title   = "Known anyway: of the people not correctly disclosed after exclusions, the share disclosed before"
formula = "(DiSCO of all - DiSCO after exclusions) / (100 - DiSCO after exclusions)"
source  = "Raab 2024, sect. 5"
scale   = "ratio"
kind    = "proportion of people"
unit    = "proportion of the people who are not in DiSCO after exclusions"
higher  = "more of the disclosure was known anyway"
order   = 4
says    = "Of the {denominator} people whose {target} does not count as revealed after exclusions, {numerator} (a proportion of {value}) have it revealed when nothing is excluded: it counts as known anyway."
raises  = "More exclusions, and exclusions of the very levels that DiSCO is made of."
do      = "This part of the result rests on what you call known: give the reason for each exclusion in the release note."
needs   = "exclusions"
# unchanged by [= → >=]: a cell has no more records than its class
---*/
SELECT
    SUM(CASE WHEN n_syn = n_syn_class AND n_syn > 0 THEN people - counted_orig ELSE 0 END) AS numerator,
    SUM(people - CASE WHEN n_syn = n_syn_class AND n_syn > 0 THEN counted_orig ELSE 0 END) AS denominator
FROM {{ cells }}
