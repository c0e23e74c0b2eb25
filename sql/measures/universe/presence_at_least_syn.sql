/*---
name    = "presence_at_least_syn"
title   = "People of the universe in classes of which the synthetic file has a share of at least the threshold"
formula = "100 * sum of p_q where s_q / p_q >= delta, / N_p"
source  = "Nergiz, Atzori & Clifton 2007, def. 3 (delta-presence); ARX; its distribution over people"
scale   = "percent"
kind    = "share of the universe"
unit    = "percent of the people of the universe"
higher  = "more risk"
order   = 24
says    = "Of {denominator} people of the universe, {numerator} ({value} %) are in a class of {keys} of which the synthetic file has a share of {at} or more."
raises  = "A large file, and people who are unique on the keys in the universe."
do      = "At 1 the file has a record for each of them: whoever knows the keys takes them to be in it. This is not certain, as a synthetic record belongs to no real person."
figures = ["presence"]
needs   = "a universe"
at      = [0.01, 0.05, 0.1, 0.2, 0.5, 1]
said_at = "last"
---*/
SELECT
    SUM(CASE
        WHEN {{ at_denominator }} * n_syn >= {{ at_numerator }} * n_universe THEN counted_universe ELSE 0
    END) AS numerator,
    SUM(n_universe) AS denominator
FROM {{ classes }}
