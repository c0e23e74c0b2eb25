/*---
name    = "false_match_rate"
title   = "Wrong candidates among people with exactly one candidate"
formula = "100 * number of people with c_j = 1 and I_j = 0 / number of people with c_j = 1, both after exclusions; c_j: candidates of person j; I_j = 1 if the record made from j is among them"
source  = "Reiter & Mitra 2009, section 2"
scale   = "percent"
kind    = "proportion of people"
unit    = "percent of people with one candidate"
higher  = "less risk: a single candidate is more often the wrong one"
sense   = "less risk"
order   = 3
says    = "For {denominator} people exactly one synthetic record is most likely to be theirs by {keys}; for {numerator} of them ({value} %) it was made from somebody else."
raises  = "Synthesized keys: the one record that fits best was made from somebody else."
do      = "A high rate protects, as long as intruders know it: state it with the release. At 0 every single match is right: synthesize the keys."
theme   = "matches"
needs   = "aligned files"
# unchanged by found [= → <=]: a flag is 0 or 1
---*/
SELECT
    SUM(CASE WHEN n_candidates = 1 AND found = 0 THEN counted_orig ELSE 0 END) AS numerator,
    SUM(CASE WHEN n_candidates = 1 THEN counted_orig ELSE 0 END) AS denominator
FROM {{ matches }}
