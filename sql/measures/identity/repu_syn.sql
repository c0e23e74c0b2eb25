/*---
name    = "repU_syn"
title   = "Replicated uniques as a share of the synthetic file"
formula = "100 * number of classes with d_q = 1 and s_q = 1, / N_s"
source  = "Jackson et al., a variant that Raab rejects in favour of repU: the risk is to the people of the original"
scale   = "percent"
kind    = "proportion of synthetic records"
unit    = "percent of synthetic records"
higher  = "more risk"
order   = 5
says    = "Of {denominator} synthetic records, {numerator} ({value} %) are unique on {keys}, and a person with these keys is unique in the original file."
raises  = "What raises repU, and a smaller synthetic file."
do      = "As for repU: it is the share of the synthetic file that sqlrisk protect takes out."
# unchanged by n_syn [= → <=]: a class without synthetic records adds 0
risky   = "n_orig = 1 AND n_syn = 1"
---*/
SELECT
    SUM(CASE WHEN {{ risky }} THEN counted_syn ELSE 0 END) AS numerator,
    SUM(synthetic) AS denominator
FROM {{ classes }}
