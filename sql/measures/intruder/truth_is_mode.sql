/*---
name    = "truth_is_mode"
title   = "People whose true level is the most probable one, a tie of two counts half"
formula = "100 * sum over people of (1 / number of levels with the greatest P(y | Z, rest), if t is one of them) / N_d"
source  = "Reiter, Wang & Zhang 2014; as posterior_of_truth"
scale   = "percent"
kind    = "mean over people"
unit    = "percent of original records"
higher  = "more risk"
order   = 2
says    = "Someone who knows all of the original but one person's {target}, and how the file was synthesized (as assumed), finds the true level most probable for {numerator} of {denominator} people ({value} %)."
raises  = "What raises posterior_of_truth, and a target with few levels."
do      = "Compare with accuracy_mode, which needs no knowledge of other people. A greater prior, fewer syntheses or coarser keys lower it."
theme   = "posteriors"
needs   = "a stated synthesizer"
---*/
SELECT
    COALESCE(SUM(counted_orig * chance_mode), 0) AS numerator,
    SUM(people) AS denominator
FROM {{ posteriors }}
