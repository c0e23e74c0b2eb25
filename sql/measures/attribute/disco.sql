/*---
name    = "DiSCO"
title   = "Correctly disclosed: all matching synthetic records agree on the target, and they are right"
formula = "100 * sum of d_tq where s_tq = s_q > 0, / N_d"
source  = "Raab 2024, eq. 11 (Disclosive in Synthetic, Correct in Original)"
scale   = "percent"
kind    = "proportion of people"
unit    = "percent of original records"
higher  = "more risk"
order   = 5
says    = "Of {denominator} people, {numerator} ({value} %) would have {target} revealed, correctly, by someone who knows {keys} and holds only the synthetic file."
raises  = "Keys that determine the target, small synthetic classes that kept the level of the people they resemble, and a level that nearly everybody has."
do      = "See in the one-way and two-way checks what was known anyway, and exclude it with a reason. Look at the rest (sqlrisk cells DiSCO), then coarsen keys or target, or synthesize with larger leaves."
above   = "synthetic"
of_original = "Dorig"
headline = "certain"
criterion = "inference"
finding = "{target}"
finding_figures = ["curves", "shares"]
pooled  = ["TCAP_disclosive", "DCAP", "DiSCO_union"]
keep    = 1
swept   = true
# unchanged by [= → >=]: a cell has no more records than its class
# unchanged by [n_orig → n_syn], n_orig [> → >=]: a cell without people adds 0
risky   = "n_syn = n_syn_class AND n_syn > 0 AND n_orig > 0"
---*/
SELECT
    SUM(CASE WHEN {{ risky }} THEN counted_orig ELSE 0 END) AS numerator,
    SUM(people) AS denominator
FROM {{ cells }}
