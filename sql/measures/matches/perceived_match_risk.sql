/*---
name    = "perceived_match_risk"
title   = "People with exactly one candidate, right or wrong"
formula = "100 * number of people with c_j = 1, / N_d; c_j: candidates of person j"
source  = "Reiter & Mitra 2009, section 2; right or wrong, as an intruder who cannot check sees it"
scale   = "percent"
kind    = "proportion of people"
unit    = "percent of original records"
higher  = "more risk"
order   = 4
says    = "For {numerator} of {denominator} people ({value} %), exactly one synthetic record is most likely to be theirs by {keys}. An intruder cannot see whether it was made from them."
raises  = "More or finer keys, which leave one record that fits best."
do      = "A person with one candidate may be harmed even by a wrong match: label the file as synthetic. true_match_rate says how many are right."
theme   = "matches"
needs   = "aligned files"
---*/
SELECT
    SUM(CASE WHEN n_candidates = 1 THEN counted_orig ELSE 0 END) AS numerator,
    SUM(people) AS denominator
FROM {{ matches }}
