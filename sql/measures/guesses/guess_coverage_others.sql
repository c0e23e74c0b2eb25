/*---
name    = "guess_coverage_others"
title   = "People guessed at by the others in the original, with a share of at least the threshold"
formula = "100 * people with max over levels u of the others' (d_uq - [u = t]) / (d_q - 1) >= tau, / N_d; [u = t]: 1 for the own level, else 0"
source  = "Francis & Wagner 2025 (recall and precision of an attack above a threshold of confidence); by others: Francis & Wagner 2024"
scale   = "percent"
kind    = "proportion of people"
unit    = "percent of original records"
higher  = "more people guessed at; read it with the precision"
order   = 3
says    = "Of {denominator} people, {numerator} ({value} %) are guessed at: one {target} has a share of at least {at} among the others in the original with their {keys}."
raises  = "Small or uniform classes, and a target with one dominant level."
do      = "Read it with the precision at the same tau: a few sure and right guesses are a risk that means over all people hide."
reads   = ["others"]
at      = [0, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0]
# unchanged by [n_all_others → n_top_others] >: every person whose level is guessed has a most frequent level
---*/
SELECT
    SUM(CASE
        WHEN {{ at_denominator }} * n_top_others >= {{ at_numerator }} * n_all_others AND n_all_others > 0
            THEN counted_orig
        ELSE 0
    END) AS numerator,
    SUM(people) AS denominator
FROM {{ guessed_cells }}
