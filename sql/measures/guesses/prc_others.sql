/*---
name    = "PRC_others"
title   = "Precision and coverage in one number, of guesses by the others in the original"
formula = "(1 - (log C / log 0.0001)^3) * P, of coverage C and precision P at tau; C if C <= 0.0001"
source  = "Francis & Wagner 2025 (precision-recall coefficient; constants of their package anonymity_loss_coefficient)"
scale   = "ratio"
kind    = "made of measures"
unit    = "0 (nobody is guessed right) to 1 (everybody is)"
higher  = "a better guess without the person's own record"
order   = 6
says    = "Guesses of {target} by the others in the original with a share of at least {at} have a combined precision and coverage of {value} (1: everybody is guessed right)."
raises  = "Right guesses. Coverage matters much below some percent, and little above."
do      = "ALC compares its maximum over all tau with that of the synthetic file. Its constants are a convention: look at coverage and precision."
at      = [0, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0]
---*/
SELECT
    CASE
        WHEN {{ guess_coverage_others }} > 0.01
            THEN (1 - (LN({{ guess_coverage_others }}) - LN(100)) / LN(0.0001)
                * ((LN({{ guess_coverage_others }}) - LN(100)) / LN(0.0001))
                * ((LN({{ guess_coverage_others }}) - LN(100)) / LN(0.0001))) * {{ guess_precision_others }}
        ELSE {{ guess_coverage_others }}
    END AS numerator,
    100.0 AS denominator
FROM {{ results }}
