/*---
name    = "expected_match_risk"
title   = "Chance that a random pick among a person's candidates is the record made from them"
formula = "100 * sum over people j of I_j / c_j / N_d; c_j: synthetic records most likely to be that of j, by the mean over the syntheses l of 1 / s_q(l) for records in q; I_j = 1 if the record made from j is among them"
source  = "Reiter & Mitra 2009, section 2 (their sum is the numerator)"
scale   = "percent"
kind    = "mean over people"
unit    = "percent of original records"
higher  = "more risk"
order   = 1
says    = "Someone who knows {keys}, and picks at random among the synthetic records most likely to be a person's, would pick the one made from that person for {numerator} of {denominator} people ({value} %) on average."
raises  = "Keys that were not synthesized or changed little, more or finer keys, and more syntheses of the same people."
do      = "Synthesize the keys as well, coarsen them, or release fewer syntheses."
criterion = "linkability"
theme   = "matches"
needs   = "aligned files"
# unchanged by [= → >=]: a flag is 0 or 1
---*/
SELECT
    COALESCE(SUM(CASE
        WHEN found = 1 THEN CAST(counted_orig AS DOUBLE) / NULLIF(CAST(n_candidates AS DOUBLE), 0)
    END), 0) AS numerator,
    SUM(people) AS denominator
FROM {{ matches }}
