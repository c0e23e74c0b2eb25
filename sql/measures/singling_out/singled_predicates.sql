/*---
name    = "singled_predicates"
title   = "Of the predicates of few keys that exactly one synthetic record meets, those that exactly one person meets"
formula = "100 * number of sets K of at most n keys, with levels of them, that have s_K = 1 and d_K = 1, / number of those with s_K = 1; d_K, s_K: records of the original, and of the synthetic file, with these levels of K"
source  = "Giomi et al. 2023 (Anonymeter), success rate of singling out; every predicate instead of a sample"
scale   = "percent"
kind    = "proportion of predicates"
unit    = "percent of predicates"
higher  = "more risk"
order   = 2
says    = "Of {denominator} descriptions by levels of at most {at} of the {keys} that exactly one synthetic record has, {numerator} ({value} %) fit one person and nobody else."
raises  = "A synthesizer that keeps people's rare combinations and keeps them rare."
do      = "It is how often an intruder who takes such a record for a person is right. Compare with people who were not in the synthesis (--control), as many as the original has; singled_out says how many people are found."
at      = [1, 2, 3]
said_at = "last"
at_setting = "set_sizes"
---*/
SELECT
    SUM(CASE WHEN n_people = 1 AND n_keys <= {{ at_numerator }} THEN counted_predicates ELSE 0 END) AS numerator,
    SUM(CASE WHEN n_keys <= {{ at_numerator }} THEN n_predicates ELSE 0 END) AS denominator
FROM {{ predicate_counts }}
