/*---
name    = "guess_precision_others"
title   = "Guesses by the others in the original, with a share of at least the threshold, that are right"
formula = "100 * sum, over the people with max over levels u of the others' (d_uq - [u = t]) / (d_q - 1) >= tau, of the chance that the most frequent level is theirs, / their number; [u = t]: 1 for the own level, else 0"
source  = "Francis & Wagner 2025 (recall and precision of an attack above a threshold of confidence); by others: Francis & Wagner 2024"
scale   = "percent"
kind    = "mean over people"
unit    = "percent of original records that are guessed at"
higher  = "a better guess without the person's own record"
order   = 4
says    = "Of the {denominator} people at whom the others in the original guess with a share of at least {at}, {value} % are guessed right on average."
raises  = "A target that follows from the keys, and levels that nearly everybody has."
do      = "It is the yardstick for guess_precision; relatives in the file count as others."
reads   = ["others"]
figures = ["guesses"]
label   = "the others"
over    = "guess_coverage_others"
at      = [0, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0]
each    = "chance_others"
among   = "{{ at_denominator }} * n_top_others >= {{ at_numerator }} * n_all_others AND n_all_others > 0"
---*/
SELECT
    SUM(CASE
        WHEN {{ at_denominator }} * n_top_others >= {{ at_numerator }} * n_all_others
            THEN counted_orig * chance_others
        ELSE 0
    END) AS numerator,
    SUM(CASE
        WHEN {{ at_denominator }} * n_top_others >= {{ at_numerator }} * n_all_others AND n_all_others > 0
            THEN people
        ELSE 0
    END) AS denominator
FROM {{ guessed_cells }}
