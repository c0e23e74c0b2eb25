/*---
name    = "membership_precision_drawn"
title   = "Membership: share of those called members who are members, at exactly 1 % false positives, ties drawn by lot"
formula = "100 * b TPR / (b TPR + (1 - b) 0.01), b the share of members among those asked about, TPR as interpolated"
source  = "Jayaraman et al. 2021 (precision of membership inference at a base rate)"
scale   = "percent"
kind    = "precision at a threshold"
unit    = "percent of people who are called members"
higher  = "more risk of telling who was in the synthesis; chance is the base rate"
sense   = "more risk"
order   = 7
says    = "If {at} % of the people asked about were in the synthesis, {value} % of those called members were in it, at exactly 1 % false positives, some of them drawn by lot."
raises  = "People whose keys have many more synthetic records than those of anybody else; a higher base rate."
do      = "Compare it with the base rate. The right base rate depends on whom an intruder asks about: set yours with --base-rates."
theme   = "membership"
at      = [1, 10, 50]
at_setting = "base_rates"
needs   = "control"
# unchanged by [<= → <]: if the rates are equal, both branches draw all of these people
# unchanged by [< → <=]: if the rates are equal, none of these people is drawn
---*/
SELECT
    SUM(CASE
        WHEN 100 * n_out_from <= n_out_all THEN CAST({{ at_numerator }} * n_in AS DOUBLE)
        WHEN 100 * n_out_above < n_out_all
            THEN {{ at_numerator }} * n_in * CAST(n_out_all - 100 * n_out_above AS DOUBLE)
                / CAST(100 * n_out AS DOUBLE)
        ELSE 0
    END) AS numerator,
    SUM(CASE
        WHEN 100 * n_out_from <= n_out_all
            THEN {{ at_numerator }} * n_in + (100 * {{ at_denominator }} - {{ at_numerator }}) * n_in_all * share_out
        WHEN 100 * n_out_above < n_out_all
            THEN ({{ at_numerator }} * n_in + (100 * {{ at_denominator }} - {{ at_numerator }}) * n_in_all * share_out)
                * CAST(n_out_all - 100 * n_out_above AS DOUBLE) / CAST(100 * n_out AS DOUBLE)
        ELSE 0
    END) AS denominator
FROM {{ thresholds }}
