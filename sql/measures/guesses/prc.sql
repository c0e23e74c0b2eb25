/*---
name    = "PRC"
title   = "Precision and coverage in one number, of guesses by the synthetic file"
formula = "(1 - (log C / log 0.0001)^3) * P, of coverage C and precision P at tau; C if C <= 0.0001"
source  = "Francis & Wagner 2025 (precision-recall coefficient; constants of their package anonymity_loss_coefficient)"
scale   = "ratio"
kind    = "made of measures"
unit    = "0 (nobody is guessed right) to 1 (everybody is)"
higher  = "more risk"
order   = 5
says    = "Guesses of {target} by the synthetic file with a share of at least {at} have a combined precision and coverage of {value} (1: everybody is guessed right)."
raises  = "Right guesses. Coverage matters much below some percent, and little above."
do      = "ALC compares its maximum over all tau with that of the others. Its constants are a convention: look at coverage and precision."
at      = [0, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0]
said_at = "last"
---*/
SELECT
    CASE
        WHEN {{ guess_coverage }} > 0.01
            THEN (1 - (LN({{ guess_coverage }}) - LN(100)) / LN(0.0001)
                * ((LN({{ guess_coverage }}) - LN(100)) / LN(0.0001))
                * ((LN({{ guess_coverage }}) - LN(100)) / LN(0.0001))) * {{ guess_precision }}
        ELSE {{ guess_coverage }}
    END AS numerator,
    100.0 AS denominator
FROM {{ results }}
