/*---
name    = "membership_ratio_AUC"
title   = "Membership against a reference: of a person in and a person out of the synthesis, how often the one in it has the higher ratio"
formula = "pairs of a person in and a person out of the synthesis with the higher (s_q / N_s) / (r_q / N_r) in, ties half, / all pairs; r_q: people of the reference with their keys"
source  = "Hanley & McNeil 1982 (area under the curve); van Breugel et al. 2023 (DOMIAS: density of the synthetic file over that of a reference), of shares of the keys"
scale   = "ratio"
kind    = "proportion of pairs of people"
unit    = "share of pairs, 0 to 1"
higher  = "more risk of telling who was in the synthesis; 0.5 is chance"
order   = 8
says    = "By {target}: of a person in the synthesis and one who was not, the one with the higher score is the one in it in {value} of all pairs, a tie counted half; 0.5 is chance."
raises  = "A synthesizer that repeats the records of the people it was made from."
do      = "Look at all four rows: the value of 0 / 0 decides much, and the plain share of the same people says what the ratio adds. Then at membership_ratio_TPR."
theme   = "membership"
needs   = "a reference"
---*/
SELECT
    SUM(n_in * (2 * (n_out_all - n_out_from) + n_out)) AS numerator,
    SUM(2 * n_in * n_out_all) AS denominator
FROM {{ ratio_thresholds }}
