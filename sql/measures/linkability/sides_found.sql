/*---
name    = "sides_found"
title   = "People for whom both sides of the link are in the synthetic file, in one record or in two"
formula = "100 * number of people with s_a > 0 and s_b > 0, / N_d; s_a, s_b: synthetic records with one side, and with the other"
source  = "sqlrisk; what linked could be at most"
scale   = "percent"
kind    = "proportion of people"
unit    = "percent of original records"
higher  = "more risk"
order   = 3
says    = "Of {denominator} people, {numerator} ({value} %) have both sides of the link ({target}) somewhere in the synthetic file, in one record or in two."
raises  = "Few columns on either side, or few levels."
do      = "Compare with linked: people between the two are found twice, in records that do not belong together."
figures = ["links"]
needs   = "a link"
# unchanged by [= → <=]: no count is below 0
---*/
SELECT
    SUM(CASE WHEN radius_a = 0 AND radius_b = 0 THEN counted_orig ELSE 0 END) AS numerator,
    SUM(people) AS denominator
FROM {{ linked_classes }}
