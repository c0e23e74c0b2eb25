/*---
name    = "DiSCO_union"
title   = "Correctly disclosed by at least one of the synthetic files"
formula = "100 * sum of d_tq where s_tq = s_q > 0 in at least one of the files by itself, / N_d"
source  = "sqlrisk; DiSCO (Raab 2024, eq. 11) of each file, each person counted once"
scale   = "percent"
kind    = "proportion of people"
unit    = "percent of original records"
higher  = "more risk"
order   = 2
says    = "Of {denominator} people, {numerator} ({value} %) would have {target} revealed, correctly, by at least one of the synthetic files, to someone who knows {keys}."
raises  = "What raises DiSCO, and every further file: it never falls."
do      = "Compare with DiSCO of the pooled files, which falls if files contradict each other: more files do not make a release safer. Publish fewer."
brief   = "those whom at least one reveals"
reads   = ["each file"]
---*/
SELECT
    SUM(CASE WHEN n_revealing > 0 THEN counted_orig ELSE 0 END) AS numerator,
    SUM(people) AS denominator
FROM {{ cells }}
