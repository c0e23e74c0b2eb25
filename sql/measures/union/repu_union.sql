/*---
name    = "repU_union"
title   = "Unique in original and in at least one of the synthetic files"
formula = "100 * number of people with d_q = 1 and s_q = 1 in at least one of the files by itself, / N_d"
source  = "sqlrisk; repU (Raab 2024, eq. 5) of each file, each person counted once"
scale   = "percent"
kind    = "proportion of people"
unit    = "percent of original records"
higher  = "more risk"
order   = 1
says    = "Of {denominator} people, {numerator} ({value} %) are unique on {keys} in the original file and in at least one of the synthetic files."
raises  = "What raises repU, and every further file: it never falls."
do      = "Compare with repU of the pooled files, which falls if several files have a record with the same keys: that makes nobody harder to find. Publish fewer."
brief   = "the people who are unique in at least one of them, too"
reads   = ["each file"]
# unchanged by [= → <=]: a class without people adds 0
---*/
SELECT
    SUM(CASE WHEN n_orig = 1 AND n_replicating > 0 THEN counted_orig ELSE 0 END) AS numerator,
    SUM(people) AS denominator
FROM {{ classes }}
