/*---
name    = "min_DCAP"
title   = "Smallest possible DCAP of any synthetic file"
formula = "100 * min over q, t of d_tq / N_d; 0 where a class lacks a level"
source  = "Baillargeon & Charest 2020, the minimum average CAP with non-matches as zero (o_min / n)"
scale   = "percent"
kind    = "fewest people"
unit    = "percent of original records"
higher  = "less room to lower DCAP"
order   = 1
says    = "With any synthetic file that has the original's combinations of {keys} and levels of {target}, a guess is right for at least {numerator} of {denominator} people ({value} %) on average."
raises  = "Few levels that every class of the original has; it is 0 as soon as one class lacks one level."
do      = "It says how far DCAP could be lowered by any synthetic file at all. It is mostly 0, and then says nothing."
reads   = ["spread"]
theme   = "spread"
least   = "counted_low"
---*/
SELECT
    MIN(CASE WHEN people > 0 THEN {{ least }} END) AS numerator,
    SUM(people) AS denominator
FROM {{ profiles }}
