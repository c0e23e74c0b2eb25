/*---
name    = "t_closeness_mean"
title   = "Mean over people of the distance of their class from the whole file, by total variation"
formula = "sum over q of d_q * 1/2 sum over t of abs(d_tq / d_q - d_t / N_d), / N_d"
source  = "Li, Li & Venkatasubramanian 2007, sect. 5; the mean over people is ours"
scale   = "ratio"
kind    = "mean over people"
unit    = "share of a class that would have to change its level"
higher  = "more risk"
order   = 2
says    = "On average over {denominator} people, a share of {value} of those with their {keys} would have to change {target} to match the whole original."
raises  = "Small classes, whose shares always differ from the file's, and keys that the target depends on."
do      = "Compare with t_closeness, which one class decides."
reads   = ["closeness"]
---*/
SELECT
    SUM(counted_orig * apart_total) AS numerator,
    SUM(people) AS denominator
FROM {{ profiles }}
