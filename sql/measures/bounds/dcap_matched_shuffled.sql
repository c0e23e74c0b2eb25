/*---
name    = "DCAP_matched_shuffled"
title   = "Expected correct attribution if synthetic targets were shuffled, non-matches left out"
formula = "100 * sum over cells with s_q > 0 of d_tq * s_t / N_s, / people whose q occurs in the synthetic file"
source  = "the expectation over all permutations, in closed form; a permutation baseline"
scale   = "percent"
kind    = "mean over people"
unit    = "percent of original records in matched classes"
higher  = "more is guessed without any link between keys and target"
order   = 8
says    = "Among the {denominator} people whose {keys} occur in the synthetic file, if {target} were shuffled at random among the synthetic records, a guess would be right for {value} % on average."
raises  = "A target with few levels or a dominant one."
do      = "Compare with DCAP_matched: the difference comes from the link of keys and target in the synthetic file."
reads   = ["spread"]
theme   = "levels"
# unchanged by [0 → 1]): every pass has classes
---*/
SELECT
    COALESCE(SUM(CASE WHEN n_syn > 0 THEN expected_shuffled ELSE 0 END), 0) AS numerator,
    SUM(CASE WHEN n_syn > 0 THEN people ELSE 0 END) AS denominator
FROM {{ profiles }}
