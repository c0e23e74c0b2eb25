/*---
name    = "min_DCAP"
title   = "Smallest possible correct attribution with the original's classes only"
formula = "100 * min over q, t of d_tq / N_d; 0 if a class lacks a level"
source  = "Baillargeon & Charest 2020, the minimum average CAP with non-matches as zero (o_min / n)"
scale   = "percent"
kind    = "fewest people"
unit    = "percent of original records"
higher  = "less room to lower DCAP"
order   = 1
says    = "With any synthetic file made of combinations of {keys} and levels of {target} that the original has, a guess is right for at least {numerator} of {denominator} people ({value} %) on average."
raises  = "Few levels that every class of the original has; it is 0 as soon as one class lacks one level."
do      = "It says how far other keys and targets could lower DCAP, if all its keys occur in the original. It is mostly 0, and then says nothing."
reads   = ["spread"]
theme   = "spread"
least   = "counted_low"
---*/
SELECT
    MIN(CASE WHEN people > 0 THEN {{ least }} END) AS numerator,
    SUM(people) AS denominator
FROM {{ profiles }}
