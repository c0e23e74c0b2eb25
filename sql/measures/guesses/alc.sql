/*---
name    = "ALC"
title   = "Anonymity loss coefficient: how far the best guesses by the synthetic file exceed the best by the others"
formula = "(PRC - PRC_others) / (1 - PRC_others), each the greatest over tau"
source  = "Francis & Wagner 2025 (anonymity loss coefficient); the others in the original instead of their model"
scale   = "ratio"
kind    = "made of measures"
unit    = "proportion of the way from PRC_others to certainty"
higher  = "more risk"
order   = 7
says    = "The best guesses of {target} by the synthetic file come {value} of the way from the best by the others in the original to everybody guessed right; below zero they are worse."
raises  = "Guesses by the synthetic file that are surer, or more often right, than those that need no record of the person."
do      = "Around 0 the file reveals no more than the others do. Its authors call 0.5 safe; that is their convention. One number over all tau can hide a few sure guesses: see guess_precision at 1."
---*/
SELECT
    {{ PRC }} - {{ PRC_others }} AS numerator,
    1 - {{ PRC_others }} AS denominator
FROM {{ results }}
