/*---
name    = "repU"
title   = "Replicated unique: unique in original and in synthetic"
formula = "100 * number of people with d_q = 1 and s_q = 1, / N_d"
source  = "Raab 2024, eq. 5"
scale   = "percent"
kind    = "proportion of people"
unit    = "percent of original records"
higher  = "more risk"
order   = 4
says    = "Of {denominator} people, {numerator} ({value} %) are unique on {keys} in the original file, and exactly one synthetic record seems to be theirs."
raises  = "Many uniques in the original, and a synthesizer that keeps rare combinations: keys left as they are, overfitting, small leaves."
do      = "Take replicated uniques out with sqlrisk protect, coarsen the keys that make people unique, and label the file as synthetic, so that nobody takes a record for a person."
of_original = "UiO"
headline = "unique"
criterion = "singling out"
finding = "Who could be singled out"
finding_figures = ["replicated", "sizes"]
pooled  = ["repU_union"]
keep    = 2
# unchanged by n_orig [= → <=]: a class without people adds 0
risky   = "n_orig = 1 AND n_syn = 1"
---*/
SELECT
    SUM(CASE WHEN {{ risky }} THEN counted_orig ELSE 0 END) AS numerator,
    SUM(people) AS denominator
FROM {{ classes }}
