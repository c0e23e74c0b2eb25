/*---
name    = "t_closeness_ordered_mean"
title   = "Mean over people of the distance of their class from the whole file, by the places of an ordered target"
formula = "sum over q of d_q * sum over i of abs(sum over t <= i of (d_tq / d_q - d_t / N_d)) / (m - 1), / N_d, m levels in order"
source  = "Li, Li & Venkatasubramanian 2007, sect. 5, ordered distance; the mean over people is ours"
scale   = "ratio"
kind    = "mean over people"
unit    = "share of the way from the first level to the last, on average over the class"
higher  = "more risk"
order   = 4
says    = "On average over {denominator} people, those with their {keys} would have to move by {value} of the way from the first level of {target} to the last to match the whole original."
raises  = "Classes at one end of the target, and small ones."
do      = "Compare with t_closeness_ordered, which one class decides, and with t_closeness_mean."
reads   = ["closeness"]
---*/
SELECT
    SUM(counted_orig * apart_ordered) AS numerator,
    SUM(people) AS denominator
FROM {{ ordered_classes }}
