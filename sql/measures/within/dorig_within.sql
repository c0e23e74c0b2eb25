/*---
name    = "Dorig_within"
title   = "Disclosed by the original within the tolerance"
formula = "100 * sum of d_tq where max - min of the original values of q is at most the tolerance of t, / N_d"
source  = "Dorig (Raab 2024, eq. 8) of numbers: revealed within the tolerance"
scale   = "percent"
kind    = "proportion of people"
unit    = "percent of original records"
higher  = "more risk"
order   = 6
says    = "Of {denominator} people, {numerator} ({value} %) would have {target} revealed by {keys}, within the tolerance, if the original file itself were published."
raises  = "A greater tolerance, and small classes whose numbers lie close together."
do      = "It is the original's own value, to compare DiSCO_within with."
above   = "original"
theme   = "within"
needs   = "a tolerance"
# unchanged by [= → >=]: a flag is 0 or 1
risky   = "close_orig = 1"
---*/
SELECT
    COALESCE(SUM(CASE WHEN {{ risky }} THEN counted_orig ELSE 0 END), 0) AS numerator,
    SUM(people) AS denominator
FROM {{ within }}
