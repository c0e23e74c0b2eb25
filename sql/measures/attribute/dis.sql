/*---
name    = "DiS"
title   = "Disclosed, rightly or wrongly: all matching synthetic records agree on the target"
formula = "100 * sum of d_q over classes with all synthetic records at one target level, / N_d"
source  = "Raab 2024, eq. 10 (Disclosive in Synthetic)"
scale   = "percent"
kind    = "proportion of people"
unit    = "percent of original records"
higher  = "more risk"
order   = 4
says    = "Of {denominator} people, {numerator} ({value} %) are found in a synthetic class where {target} has one level only; the level may be wrong."
raises  = "Small synthetic classes, and a target with a level that most records have."
do      = "Compare with DiSCO: the difference is people about whom an intruder would be sure and wrong. Larger synthetic classes (fewer or coarser keys) lower both."
above   = "synthetic"
# unchanged by [= → >=]: a cell has no more records than its class
# unchanged by n_orig_class [> → >=]: a class without people adds 0
risky   = "n_syn = n_syn_class AND n_syn > 0 AND n_orig_class > 0"
---*/
SELECT
    SUM(CASE WHEN {{ risky }} THEN counted_orig_class ELSE 0 END) AS numerator,
    SUM(people) AS denominator
FROM {{ cells }}
