/*---
name    = "membership_TPR_drawn"
title   = "Membership: rate of true positives at a given percentage of false positives, ties drawn by lot"
formula = "100 * TPR at FPR = x percent, on the straight line between the two nearest thresholds"
source  = "Fawcett 2006 (interpolation between two points of the curve: a threshold drawn for each person)"
scale   = "percent"
kind    = "rate between thresholds"
unit    = "percent of people in the synthesis"
higher  = "more risk of telling who was in the synthesis; chance is the rate of false positives"
sense   = "more risk"
order   = 5
says    = "If {at} % of the people out of the synthesis are called members, {value} % of those in it are. Lots decide among people with the same score."
raises  = "People whose keys have many more synthetic records than those of anybody else."
do      = "Compare it with the rate of false positives: random calls have the same rate of true positives. membership_TPR draws no lots."
theme   = "membership"
at      = [0.1, 1, 5, 10]
said_at = "first"
needs   = "control"
# unchanged by [<= → <]: if the rates are equal, both branches draw all of these people
# unchanged by [< → <=]: if the rates are equal, none of these people is drawn
---*/
SELECT
    SUM(CASE
        WHEN 100 * {{ at_denominator }} * n_out_from <= {{ at_numerator }} * n_out_all
            THEN CAST(n_in AS DOUBLE)
        WHEN 100 * {{ at_denominator }} * n_out_above < {{ at_numerator }} * n_out_all
            THEN n_in * CAST({{ at_numerator }} * n_out_all - 100 * {{ at_denominator }} * n_out_above AS DOUBLE)
                / CAST(100 * {{ at_denominator }} * n_out AS DOUBLE)
        ELSE 0
    END) AS numerator,
    SUM(n_in) AS denominator
FROM {{ thresholds }}
