/*---
name    = "t_closeness_ordered"
title   = "t-closeness of an ordered target: the greatest distance of a class of the original from the whole file, by places"
formula = "max over q of sum over i of abs(sum over t <= i of (d_tq / d_q - d_t / N_d)) / (m - 1), m levels in order"
source  = "Li, Li & Venkatasubramanian 2007, sect. 5, ordered distance"
scale   = "ratio"
kind    = "extreme value"
unit    = "share of a class, times the share of all places that it would have to go"
higher  = "more risk"
order   = 3
says    = "In some combination of {keys}, {value} of all the way from the first level of {target} to the last would have to be gone on average to be spread as in the whole original; in none more."
raises  = "Classes at one end of the target: all of them low, or all of them high."
do      = "Compare with t_closeness, which takes any other level for as far: a class with the next level is near here. t_closeness_ordered_mean is over all people."
reads   = ["closeness"]
---*/
SELECT
    MAX(CASE WHEN counted_orig > 0 THEN apart_ordered END) AS value
FROM {{ ordered_classes }}
