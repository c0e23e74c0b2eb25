/*---
name    = "DiSCO_within"
title   = "Correctly disclosed by the synthetic file within the tolerance"
formula = "100 * sum of d_tq where max - min of the synthetic values of q is at most the tolerance of t, and all of them are within the tolerance of t, / N_d"
source  = "DiSCO (Raab 2024, eq. 11) of numbers: revealed within the tolerance"
scale   = "percent"
kind    = "proportion of people"
unit    = "percent of original records"
higher  = "more risk"
order   = 7
says    = "Of {denominator} people, {numerator} ({value} %) would have {target} revealed, within the tolerance, by someone who knows {keys} and holds only the synthetic file."
raises  = "A greater tolerance, and small synthetic classes whose numbers lie close together and near the truth."
do      = "List the cells (sqlrisk cells DiSCO_within). If many people share one number, e.g. 0, keep it apart with --special. Then as for DiSCO."
above   = "synthetic"
of_original = "Dorig_within"
theme   = "within"
needs   = "a tolerance"
# unchanged by [= → >=]: a flag is 0 or 1
risky   = "close_syn = 1"
---*/
SELECT
    COALESCE(SUM(CASE WHEN {{ risky }} THEN counted_orig ELSE 0 END), 0) AS numerator,
    SUM(people) AS denominator
FROM {{ within }}
