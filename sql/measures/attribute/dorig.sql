/*---
name    = "Dorig"
title   = "Disclosed by the original: all records with the same keys agree on the target"
formula = "100 * sum of d_tq where d_tq = d_q, / N_d"
source  = "Raab 2024, eq. 8"
scale   = "percent"
kind    = "proportion of people"
unit    = "percent of original records"
higher  = "more risk"
order   = 1
says    = "Of {denominator} people, {numerator} ({value} %) would have {target} revealed by {keys} if the original file itself were published."
raises  = "Small classes (more or finer keys), a target that the keys determine, and a level that nearly everybody has."
do      = "It is the original's own value, to compare DiSCO with. No synthesis lowers it. Fewer or coarser keys lower it, and so does a coarser target."
above   = "original"
keep    = 5
swept   = true
# unchanged by [= → >=]: a cell has no more records than its class
# unchanged by [> → >=]: a cell without people adds 0
risky   = "n_orig = n_orig_class AND n_orig > 0"
---*/
SELECT
    SUM(CASE WHEN {{ risky }} THEN counted_orig ELSE 0 END) AS numerator,
    SUM(people) AS denominator
FROM {{ cells }}
