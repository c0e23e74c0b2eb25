/*---
name    = "singled_out"
title   = "People singled out by a predicate of few keys that exactly one synthetic record meets"
formula = "100 * number of people for whom some set K of at most n keys has d_K = 1 and s_K = 1, / N_d; d_K, s_K: records of the original, and of the synthetic file, with the person's levels of K"
source  = "Giomi et al. 2023 (Anonymeter), singling out; WP216 (Article 29 Working Party 2014); every predicate instead of a sample"
scale   = "percent"
kind    = "proportion of people"
unit    = "percent of original records"
higher  = "more risk"
order   = 1
says    = "Of {denominator} people, {numerator} ({value} %) are the only one with levels of at most {at} of their {keys} that exactly one synthetic record has: someone who takes this record for a description of a person finds them."
raises  = "Keys with rare levels, more keys, and a synthesizer that keeps rare combinations."
do      = "Compare with people who were not in the synthesis (--control): a rare level is rare among them, too. Then merge rare levels, coarsen the keys, or take replicated uniques out with sqlrisk protect."
criterion = "singling out"
figures = ["singled"]
at      = [1, 2, 3]
said_at = "last"
finding = "People found by what only one synthetic record has"
finding_figures = ["singled"]
at_setting = "set_sizes"
---*/
SELECT
    SUM(CASE WHEN n_keys <= {{ at_numerator }} THEN counted_orig ELSE 0 END) AS numerator,
    SUM(people) AS denominator
FROM {{ singled_classes }}
