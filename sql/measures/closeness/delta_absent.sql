/*---
name    = "delta_absent"
title   = "People in classes that lack a level of the target, which no finite delta-disclosure allows"
formula = "100 * sum of d_q where some t with d_t > 0 has d_tq = 0, / N_d"
source  = "Brickell & Shmatikov 2008, sect. 4, read to the letter: ln 0"
scale   = "percent"
kind    = "proportion of people"
unit    = "percent of original records"
higher  = "more risk"
order   = 8
says    = "Of {denominator} people, {numerator} ({value} %) have {keys} for which some level of {target} can be ruled out."
raises  = "Classes with fewer people than the target has levels, and rare levels."
do      = "Coarsen rare levels of the target; as long as it counts anybody, no delta holds strictly."
reads   = ["closeness"]
---*/
SELECT
    SUM(CASE WHEN n_absent > 0 THEN counted_orig ELSE 0 END) AS numerator,
    SUM(people) AS denominator
FROM {{ profiles }}
