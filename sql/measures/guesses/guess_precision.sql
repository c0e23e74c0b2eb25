/*---
name    = "guess_precision"
title   = "Guesses by the synthetic file, with a share of at least the threshold, that are right"
formula = "100 * sum, over the people with max over levels u of s_uq / s_q >= tau, of the chance that the most frequent level is theirs, / their number"
source  = "Francis & Wagner 2025 (recall and precision of an attack above a threshold of confidence)"
scale   = "percent"
kind    = "mean over people"
unit    = "percent of original records that are guessed at"
higher  = "more risk"
order   = 2
says    = "Of the {denominator} people at whom the synthetic records guess with a share of at least {at}, {value} % are guessed right on average."
raises  = "A target that follows from the keys, and levels that nearly everybody has."
do      = "Compare it with guess_precision_others at the same tau: if guesses are as precise without the person's record, they show a general pattern."
reads   = ["others"]
figures = ["guesses"]
over    = "guess_coverage"
at      = [0, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0]
said_at = "last"
each    = "chance_syn"
among   = "{{ at_denominator }} * n_top_syn >= {{ at_numerator }} * n_all_syn AND n_all_syn > 0"
---*/
SELECT
    SUM(CASE
        WHEN {{ at_denominator }} * n_top_syn >= {{ at_numerator }} * n_all_syn
            THEN counted_orig * chance_syn
        ELSE 0
    END) AS numerator,
    SUM(CASE
        WHEN {{ at_denominator }} * n_top_syn >= {{ at_numerator }} * n_all_syn AND n_all_syn > 0
            THEN people
        ELSE 0
    END) AS denominator
FROM {{ guessed_cells }}
