/*---
name    = "t_closeness_ordered"
title   = "t-closeness of an ordered target: the greatest distance of a class of the original from the whole file, by places"
formula = "max over q of sum over i of abs(sum over t <= i of (d_tq / d_q - d_t / N_d)) / (m - 1), m levels in order"
source  = "Li, Li & Venkatasubramanian 2007, sect. 5, ordered distance"
scale   = "ratio"
kind    = "extreme value"
unit    = "share of the way from the first level to the last, on average over the class"
higher  = "more risk"
order   = 3
says    = "In the combination of {keys} that is furthest from the whole original, people would have to move on average by {value} of the way from the first level of {target} to the last to match it."
raises  = "Classes at one end of the target: all of them low, or all of them high."
do      = "Compare with t_closeness, which treats all other levels as equally far: here the next level is near. t_closeness_ordered_mean is over all people."
reads   = ["closeness"]
---*/
SELECT
    MAX(CASE WHEN counted_orig > 0 THEN apart_ordered END) AS value
FROM {{ ordered_classes }}
