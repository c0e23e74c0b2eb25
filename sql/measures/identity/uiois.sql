/*---
name    = "UiOiS"
title   = "Unique in original, and the keys are in synthetic"
formula = "100 * number of people with d_q = 1 and s_q > 0, / N_d"
source  = "Raab 2024, eq. 4 (misprinted there; read after sect. 3.2)"
scale   = "percent"
kind    = "proportion of people"
unit    = "percent of original records"
higher  = "more risk"
order   = 3
says    = "Of {denominator} people, {numerator} ({value} %) are unique on {keys} in the original file and their combination occurs in the synthetic file."
raises  = "Many uniques in the original, a synthesizer that reproduces their combinations of keys, and more synthetic records to find them in."
do      = "repU counts those who have exactly one synthetic record. Coarsen the keys, or synthesize them as well, with more smoothing; sqlrisk cells UiOiS lists the combinations."
criterion = "singling out"
# unchanged by [= → <=]: a class without people adds 0
risky   = "n_orig = 1 AND n_syn > 0"
---*/
SELECT
    SUM(CASE WHEN {{ risky }} THEN counted_orig ELSE 0 END) AS numerator,
    SUM(people) AS denominator
FROM {{ classes }}
