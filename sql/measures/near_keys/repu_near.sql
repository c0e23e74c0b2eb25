/*---
name    = "repU_near"
title   = "Replicated unique within the tolerance"
formula = "100 * number of people with d_q = 1 and s~_q = 1, / N_d; s~_q: synthetic records within the tolerance of q"
source  = "repU (Raab 2024, eq. 5) where one key matches within a tolerance"
scale   = "percent"
kind    = "proportion of people"
unit    = "percent of original records"
higher  = "more risk"
order   = 4
says    = "Of {denominator} people, {numerator} ({value} %) are unique on {keys} in the original file, and exactly one synthetic record is within the tolerance of their keys."
raises  = "Many uniques whose values the synthesis kept or moved by less than the tolerance, and keys so fine that nobody else is near."
do      = "If it is much higher than repU, moving values did not protect people: coarsen the key, in original and synthesis alike. A tolerance larger than the moves lowers it, since more records are near."
of_original = "UiO_near"
needs   = "a tolerance on a key"
# unchanged by n_orig [= → <=]: a class without people adds 0
risky   = "n_orig = 1 AND n_syn = 1"
---*/
SELECT
    SUM(CASE WHEN {{ risky }} THEN counted_orig ELSE 0 END) AS numerator,
    SUM(people) AS denominator
FROM {{ reached_classes }}
