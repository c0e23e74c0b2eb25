/*---
name    = "prior_of_truth"
title   = "Mean prior probability of the true level"
formula = "100 * sum over people of P(t) / N_d; P(y) = 1 / number of levels, (alpha + r_y) / sum of these, or the share in a file"
source  = "Reiter, Wang & Zhang 2014; Hu, Reiter & Wang 2014 for priors learned from other data"
scale   = "percent"
kind    = "mean over people"
unit    = "percent of original records"
higher  = "more is known without the synthetic file"
order   = 4
says    = "Before the synthetic file, someone who knows all of the original but one person's {target} gives the true level a probability of {value} % on average over {denominator} people."
raises  = "Other people with the same keys who have the same level, if the intruder learns from them, and a target with few levels."
do      = "posterior_of_truth minus this number is what the synthetic file added."
theme   = "posteriors"
needs   = "a stated synthesizer"
---*/
SELECT
    COALESCE(SUM(counted_orig * chance_prior), 0) AS numerator,
    SUM(people) AS denominator
FROM {{ posteriors }}
