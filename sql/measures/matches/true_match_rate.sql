/*---
name    = "true_match_rate"
title   = "People whose only candidate was made from them"
formula = "100 * number of people with c_j = 1 and I_j = 1, / N_d; c_j: candidates of person j; I_j = 1 if the record made from j is among them"
source  = "Reiter & Mitra 2009, section 2"
scale   = "percent"
kind    = "proportion of people"
unit    = "percent of original records"
higher  = "more risk"
order   = 2
says    = "For {numerator} of {denominator} people ({value} %), exactly one synthetic record is most likely to be theirs by {keys}, and it was made from them."
raises  = "Unsynthesized keys that make people unique, and syntheses that agree on a record."
do      = "Synthesize the keys of people who are unique (see uniques), or take them out. Compare with perceived_match_risk: an intruder does not see which matches are true."
criterion = "linkability"
theme   = "matches"
needs   = "aligned files"
# unchanged by n_candidates [= → <=]: every record that is found is a candidate
# unchanged by found [= → >=]: a flag is 0 or 1
---*/
SELECT
    SUM(CASE WHEN n_candidates = 1 AND found = 1 THEN counted_orig ELSE 0 END) AS numerator,
    SUM(people) AS denominator
FROM {{ matches }}
