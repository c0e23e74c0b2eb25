/*---
name    = "membership_ratio_AUC"
title   = "Membership against a reference: how often a person in the synthesis has a higher ratio than one who was not"
formula = "pairs of a person in the synthesis and a person out of it, the first with the higher (s_q / N_s) / (r_q / N_r), ties half, / all pairs; r_q: people of the reference with these keys, N_r: all of them"
source  = "Hanley & McNeil 1982 (area under the curve); van Breugel et al. 2023 (DOMIAS: density of the synthetic file over that of a reference), of shares of the keys"
scale   = "ratio"
kind    = "proportion of pairs of people"
unit    = "share of pairs, 0 to 1"
higher  = "more risk of telling who was in the synthesis; 0.5 is chance"
sense   = "more risk"
order   = 8
says    = "By {target}: in a share of {value} of all pairs of a person in the synthesis and one who was not, the person in it has the higher score, a tie counted half; 0.5 is chance."
raises  = "A synthesizer that repeats the records of the people it was made from."
do      = "Look at all four rows: the value given to 0 / 0 decides much, and the plain share of the same people shows what the ratio adds. Then look at membership_ratio_TPR."
theme   = "membership"
needs   = "a reference"
---*/
SELECT
    SUM(n_in * (2 * (n_out_all - n_out_from) + n_out)) AS numerator,
    SUM(2 * n_in * n_out_all) AS denominator
FROM {{ ratio_thresholds }}
