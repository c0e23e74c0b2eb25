/*---
name    = "singled_predicates"
title   = "Predicates of what is unique in the synthetic file, of so many keys at most, that hold for one person alone"
formula = "100 * number of sets K of so many keys or fewer, with levels of them, that have s_K = 1 and d_K = 1, / number of those with s_K = 1; d_K, s_K: records of the original, and of the synthetic file, with these levels of K"
source  = "Giomi et al. 2023 (Anonymeter), success rate of singling out; every predicate instead of a sample"
scale   = "percent"
kind    = "proportion of predicates"
unit    = "percent of predicates"
higher  = "more risk"
order   = 2
says    = "Of {denominator} descriptions by levels of {at} of the {keys}, or of fewer, that one synthetic record alone has, {numerator} ({value} %) are those of one person and of nobody else."
raises  = "A synthesizer whose rare combinations are those of people, each as rare as among them."
do      = "An intruder who takes one for a description is right so often. Compare with people who were not in the synthesis (--control), as many as the original has; singled_out says how many people are found."
at      = [1, 2, 3]
said_at = "last"
at_setting = "set_sizes"
---*/
SELECT
    SUM(CASE WHEN n_people = 1 AND n_keys <= {{ at_numerator }} THEN counted_predicates ELSE 0 END) AS numerator,
    SUM(CASE WHEN n_keys <= {{ at_numerator }} THEN n_predicates ELSE 0 END) AS denominator
FROM {{ predicate_counts }}
