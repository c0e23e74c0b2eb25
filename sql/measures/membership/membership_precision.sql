/*---
name    = "membership_precision"
title   = "Membership: share of those called members who are members, at the threshold with at most 1 % false positives"
formula = "100 * b TPR / (b TPR + (1 - b) FPR), b the share of members among those asked about, FPR that of the threshold"
source  = "Jayaraman et al. 2021 (precision of membership inference at a base rate)"
scale   = "percent"
kind    = "precision at a threshold"
unit    = "percent of people who are called members"
higher  = "more risk of telling who was in the synthesis; chance is the base rate"
sense   = "more risk"
order   = 6
says    = "If {at} % of the people asked about were in the synthesis, {value} % of those called members were in it, at the threshold with at most 1 % false positives."
raises  = "People whose keys have many more synthetic records than those of anybody else; a higher base rate."
do      = "Compare it with the base rate. The right base rate depends on whom an intruder asks about: set yours with --base-rates."
theme   = "membership"
at      = [1, 10, 50]
at_setting = "base_rates"
needs   = "control"
---*/
SELECT
    SUM(CASE
        WHEN 100 * n_out_from <= n_out_all THEN CAST({{ at_numerator }} * n_in AS DOUBLE) ELSE 0
    END) AS numerator,
    SUM(CASE
        WHEN 100 * n_out_from <= n_out_all
            THEN {{ at_numerator }} * n_in + (100 * {{ at_denominator }} - {{ at_numerator }}) * n_in_all * share_out
        ELSE 0
    END) AS denominator
FROM {{ thresholds }}
