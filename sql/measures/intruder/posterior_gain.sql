/*---
name    = "posterior_gain"
title   = "Mean factor by which the synthetic file raises the probability of the true level"
formula = "sum of P(t | Z, rest) / P(t) over the people with P(t) > 0, / their number; P(t): probability before the files Z, 1 / number of levels or the intruder's prior; rest: the original except this level"
source  = "Reiter, Wang & Zhang 2014; as posterior_of_truth"
scale   = "ratio"
kind    = "mean over people"
unit    = "times the prior probability"
higher  = "more risk; 1 means no change"
sense   = "more risk"
order   = 3
says    = "To someone who knows all of the original but one person's {target}, and how the file was synthesized (as assumed), the file makes the true level {value} times as probable as it was, on average over {denominator} people."
raises  = "More syntheses, a target with many levels, small classes, and a smaller prior."
do      = "1 means no gain. A greater prior, fewer syntheses or coarser keys bring it closer to 1."
theme   = "posteriors"
needs   = "a stated synthesizer"
# unchanged by [chance_prior → chance_posterior] >: only what was impossible before is impossible after
---*/
SELECT
    COALESCE(SUM(
        counted_orig * CAST(chance_posterior AS DOUBLE) / NULLIF(CAST(chance_prior AS DOUBLE), 0)
    ), 0) AS numerator,
    SUM(CASE WHEN chance_prior > 0 THEN people ELSE 0 END) AS denominator
FROM {{ posteriors }}
