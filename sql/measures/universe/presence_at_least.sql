/*---
name    = "presence_at_least"
title   = "People of the universe in classes of which the original has a share of at least the threshold"
formula = "100 * sum of p_q where d_q / p_q >= delta, / N_p"
source  = "Nergiz, Atzori & Clifton 2007, def. 3 (delta-presence); ARX; its distribution over people"
scale   = "percent"
kind    = "share of the universe"
unit    = "percent of the people of the universe"
higher  = "more risk"
order   = 12
says    = "Of {denominator} people of the universe, {numerator} ({value} %) are in a class of {keys} of which a share of {at} or more is in the original."
raises  = "A large sample, and people who are unique on the keys in the universe."
do      = "At 1 everybody with these keys is in the file, and whoever knows the keys knows it. Coarsen the keys, or release a smaller sample."
figures = ["presence"]
label   = "original"
needs   = "a universe"
at      = [0.01, 0.05, 0.1, 0.2, 0.5, 1]
said_at = "last"
---*/
SELECT
    SUM(CASE
        WHEN {{ at_denominator }} * n_orig >= {{ at_numerator }} * n_universe THEN counted_universe ELSE 0
    END) AS numerator,
    SUM(n_universe) AS denominator
FROM {{ classes }}
