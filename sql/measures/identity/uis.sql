/*---
name    = "UiS"
title   = "Unique in synthetic"
formula = "100 * number of synthetic records with s_q = 1, / N_s"
source  = "Raab 2024, eq. 3 (misprinted there; read after sect. 3.2)"
scale   = "percent"
kind    = "proportion of synthetic records"
unit    = "percent of synthetic records"
higher  = "more apparent risk; by itself it says nothing about real people"
order   = 2
says    = "Of {denominator} synthetic records, {numerator} ({value} %) are the only one with their combination of {keys} in the synthetic file."
raises  = "More keys or finer ones, and fewer synthetic records."
do      = "It needs no action: a unique synthetic record need not resemble anybody. repU counts the unique people who seem to be behind one."
# unchanged by [= → <=]: a class without synthetic records adds 0
risky   = "n_syn = 1"
---*/
SELECT
    SUM(CASE WHEN {{ risky }} THEN counted_syn ELSE 0 END) AS numerator,
    SUM(synthetic) AS denominator
FROM {{ classes }}
