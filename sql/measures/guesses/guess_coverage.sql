/*---
name    = "guess_coverage"
title   = "People guessed at by the synthetic file, with a share of at least the threshold"
formula = "100 * people with max over levels u of s_uq / s_q >= tau, / N_d"
source  = "Francis & Wagner 2025 (recall and precision of an attack above a threshold of confidence)"
scale   = "percent"
kind    = "proportion of people"
unit    = "percent of original records"
higher  = "more people guessed at; read it with the precision"
order   = 1
says    = "Of {denominator} people, {numerator} ({value} %) are guessed at: one {target} has a share of at least {at} among the synthetic records with their {keys}."
raises  = "Small or uniform classes, and a target with one dominant level."
do      = "Read it with the precision at the same tau: a few sure and right guesses are a risk that means over all people hide."
reads   = ["others"]
at      = [0, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0]
said_at = "last"
# unchanged by [n_all_syn → n_top_syn] >: every person whose level is guessed has a most frequent level
---*/
SELECT
    SUM(CASE
        WHEN {{ at_denominator }} * n_top_syn >= {{ at_numerator }} * n_all_syn AND n_all_syn > 0
            THEN counted_orig
        ELSE 0
    END) AS numerator,
    SUM(people) AS denominator
FROM {{ guessed_cells }}
