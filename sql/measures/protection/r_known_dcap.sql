/*---
name    = "R_known_DCAP"
title   = "Share of DCAP that the exclusions explain"
formula = "(DCAP of all - DCAP after exclusions) / (100 - DCAP after exclusions)"
source  = "Raab 2024, sect. 5"
scale   = "ratio"
unit    = "proportion of the risk that is left to explain"
higher  = "more of the disclosure was known anyway"
order   = 5
says    = "What is excluded as known anyway accounts for {value} of the way from DCAP after exclusions to certainty."
needs   = "exclusions"
---*/
SELECT
    COALESCE(SUM(CAST(people - counted_orig AS DOUBLE) * CAST(n_syn AS DOUBLE) / NULLIF(CAST(n_syn_class AS DOUBLE), 0)), 0) AS numerator,
    SUM(CAST(people AS DOUBLE) - COALESCE(CAST(counted_orig AS DOUBLE) * CAST(n_syn AS DOUBLE) / NULLIF(CAST(n_syn_class AS DOUBLE), 0), 0)) AS denominator
FROM {{ cells }}
