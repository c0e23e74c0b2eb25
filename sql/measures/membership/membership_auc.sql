/*---
name    = "membership_AUC"
title   = "Membership: how often a person in the synthesis has a higher score than one who was not"
formula = "pairs of a person in the synthesis and a person out of it, the first with the higher s_q, ties half, / all pairs"
source  = "Hanley & McNeil 1982 (area under the curve); exact, from class sizes"
scale   = "ratio"
kind    = "proportion of pairs of people"
unit    = "share of pairs, 0 to 1"
higher  = "more risk of telling who was in the synthesis; 0.5 is chance"
sense   = "more risk"
order   = 1
says    = "In a share of {value} of all pairs of a person in the synthesis and one who was not, the person in it has more synthetic records with their {keys}, a tie counted half; 0.5 is chance."
raises  = "A synthesizer that repeats the records of the people it was made from."
do      = "It is an average over all people: a few who surely are members hardly change it. Look at membership_TPR at few false positives, and at several sets of keys."
theme   = "membership"
needs   = "control"
---*/
SELECT
    SUM(n_in * (2 * (n_out_all - n_out_from) + n_out)) AS numerator,
    SUM(2 * n_in * n_out_all) AS denominator
FROM {{ thresholds }}
