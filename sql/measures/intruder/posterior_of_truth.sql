/*---
name    = "posterior_of_truth"
title   = "Mean posterior probability of the true level"
formula = "100 * sum over people of P(t | Z, rest) / N_d; P(y | Z, rest) proportional to P(y) times the product over the syntheses of (alpha + r_y + s_yq) / (alpha + r_y), r_y = d_yq without the person; Z: the synthetic files; rest: the original except this level; alpha: the prior"
source  = "Reiter, Wang & Zhang 2014; saturated multinomial synthesis with a Dirichlet prior"
scale   = "percent"
kind    = "mean over people"
unit    = "percent of original records"
higher  = "more risk"
order   = 1
says    = "To someone who knows all of the original but one person's {target}, and how the file was synthesized (as assumed), the person's true level has a probability of {value} % on average over {denominator} people."
raises  = "More syntheses, small classes, and a smaller prior of the synthesizer, which follows the original more closely."
do      = "Compare with prior_of_truth, the probability before they saw the file. A greater prior of the synthesizer, fewer syntheses or coarser keys lower it."
theme   = "posteriors"
needs   = "a stated synthesizer"
---*/
SELECT
    COALESCE(SUM(counted_orig * chance_posterior), 0) AS numerator,
    SUM(people) AS denominator
FROM {{ posteriors }}
