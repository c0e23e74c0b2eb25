/*---
name    = "membership_ratio_TPR"
title   = "Membership against a reference: rate of true positives at the lowest threshold with at most a given percentage of false positives"
formula = "100 * greatest share of the people in the synthesis with a ratio >= h, over thresholds h that at most x percent of the people out of it reach"
source  = "Carlini et al. 2022 (true positives at few false positives); the ratio as in membership_ratio_AUC"
scale   = "percent"
kind    = "proportion at a threshold"
unit    = "percent of people in the synthesis"
higher  = "more risk of telling who was in the synthesis; chance is the rate of false positives"
sense   = "more risk"
order   = 10
says    = "By {target}: of {denominator} people in the synthesis, {numerator} ({value} %) are called a member if at most {at} % of the others may be."
raises  = "People whose keys have many synthetic records, and few people of the reference."
do      = "Compare it with membership_ratio_FPR, at the same threshold. If both are 0, no threshold is strict enough. This does not mean that no member can be recognized. Half of control is the reference, so that steps are twice as wide."
theme   = "membership"
at      = [0.1, 1, 5, 10]
said_at = "first"
needs   = "a reference"
---*/
SELECT
    SUM(CASE
        WHEN 100 * {{ at_denominator }} * n_out_from <= {{ at_numerator }} * n_out_all THEN n_in
        ELSE 0
    END) AS numerator,
    SUM(n_in) AS denominator
FROM {{ ratio_thresholds }}
