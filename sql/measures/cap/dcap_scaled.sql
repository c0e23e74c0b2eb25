/*---
name    = "DCAP_scaled"
title   = "Correct attribution above the baseline"
formula = "100 * (DCAP - base) / (100 - base); base = baseCAPd_counted, which is baseCAPd unless something is excluded"
source  = "Taub, Elliot, Pampaka & Smith 2018"
scale   = "percent"
kind    = "made of measures"
unit    = "percent of the way from the baseline to certainty"
higher  = "more risk"
order   = 9
says    = "The synthetic file brings a guess of {target} {value} % of the way from the baseline to certainty; below zero it is worse than the baseline."
raises  = "A DCAP further above the baseline of the people who are counted."
do      = "At 0 or below, guesses from the file are right no more often than guesses from the target's distribution. People who are not found count as wrong: see DCAP_matched. Above 0, act as for DCAP."
---*/
SELECT
    {{ DCAP }} - {{ baseCAPd_counted }} AS numerator,
    100 - {{ baseCAPd_counted }} AS denominator
FROM {{ results }}
