/*---
name    = "membership_advantage"
title   = "Membership advantage: greatest true minus false positive rate"
formula = "100 * greatest TPR - FPR over all thresholds"
source  = "Yeom, Giacomelli, Fredrikson & Jha 2018 (membership advantage)"
scale   = "percent"
kind    = "proportion of pairs of people"
unit    = "percentage points"
higher  = "more risk of telling who was in the synthesis; 0 is chance"
sense   = "more risk"
order   = 2
says    = "At the best threshold, {value} percentage points more of those in the synthesis than of others have enough synthetic records with their {keys} to be called members."
raises  = "A synthesizer that repeats the records of the people it was made from."
do      = "The best threshold is chosen by looking at the answer: two groups of n and m people that are drawn alike reach 136 * sqrt(1/n + 1/m) or more in one of 20 draws at most (Smirnov 1948)."
finding = "Who could be shown to be in the original"
finding_figures = ["roc"]
theme   = "membership"
needs   = "control"
---*/
SELECT
    MAX(n_in_from * n_out_all - n_out_from * n_in_all) AS numerator,
    SUM(n_in * n_out_all) AS denominator
FROM {{ thresholds }}
