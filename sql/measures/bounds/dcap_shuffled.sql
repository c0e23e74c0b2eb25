/*---
name    = "DCAP_shuffled"
title   = "Expected correct attribution if synthetic targets were shuffled"
formula = "100 * sum over cells with s_q > 0 of d_tq * s_t / N_s, / N_d"
source  = "the expectation over all permutations, in closed form; a permutation baseline"
scale   = "percent"
kind    = "mean over people"
unit    = "percent of original records"
higher  = "more is guessed without any link between keys and target"
order   = 7
says    = "If the synthetic records kept their {keys} but had {target} shuffled at random among them, a guess would be right for {value} % of {denominator} people on average."
raises  = "Keys that are found (iS), and a target with few levels or a dominant one."
do      = "Compare with DCAP: the difference comes from the link of keys and target in the synthetic file."
reads   = ["spread"]
theme   = "levels"
# unchanged by [0 → 1]): every pass has classes
---*/
SELECT
    COALESCE(SUM(CASE WHEN n_syn > 0 THEN expected_shuffled ELSE 0 END), 0) AS numerator,
    SUM(people) AS denominator
FROM {{ profiles }}
