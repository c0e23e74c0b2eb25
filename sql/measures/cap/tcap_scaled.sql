/*---
name    = "TCAP_scaled"
title   = "Correct disclosure among the people whose keys are found, above the baseline"
formula = "100 * (TCAP - base) / (100 - base); base = baseCAPd_counted, which is baseCAPd unless something is excluded"
source  = "TCAP: Raab 2024, eq. 13; its operating bounds: Taub, Elliot, Pampaka & Smith 2018, sect. 2.1"
scale   = "percent"
kind    = "made of measures"
unit    = "percent of the way from the baseline to certainty"
higher  = "more risk"
order   = 10
says    = "Among people whose keys are found, certain and correct revelations of {target} lie {value} % of the way from the baseline to certainty."
raises  = "A TCAP further above the baseline of the people who are counted."
do      = "It is often below 0, since TCAP counts only certain guesses and the baseline every guess. Compare files by it, not people. Then act as for TCAP."
---*/
SELECT
    {{ TCAP }} - {{ baseCAPd_counted }} AS numerator,
    100 - {{ baseCAPd_counted }} AS denominator
FROM {{ results }}
