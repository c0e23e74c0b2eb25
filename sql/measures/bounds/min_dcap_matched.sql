/*---
name    = "min_DCAP_matched"
title   = "Smallest possible correct attribution of any file, non-matches left out"
formula = "100 * min over q, t of d_tq / d_q; 0 if a class lacks a level"
source  = "Baillargeon & Charest 2020, the minimum average CAP with non-matches left out"
scale   = "percent"
kind    = "extreme value"
unit    = "percent of original records in matched classes"
higher  = "less room to lower DCAP_matched"
order   = 2
says    = "With any synthetic file made of combinations of {keys} and levels of {target} that the original has, a guess is right for at least {value} % of the people it finds, on average."
raises  = "Classes in which even the rarest level has a good share."
do      = "It says how far other keys and targets could lower DCAP_matched. It is mostly 0, and then says nothing."
reads   = ["spread"]
least   = "share_low"
---*/
SELECT
    MIN({{ least }}) AS value
FROM {{ profiles }}
