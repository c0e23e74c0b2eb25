/*---
name    = "l_distinct_people"
title   = "People by the number of target levels in their class"
formula = "100 * number of people with l <= (number of t with d_tq > 0) < next l, / N_d"
source  = "the distribution of distinct l-diversity (Machanavajjhala, Kifer, Gehrke & Venkitasubramaniam 2007) over people"
scale   = "percent"
kind    = "proportion of people"
unit    = "percent of original records"
higher  = "at few levels: more risk"
order   = 4
says    = "Of {denominator} people, {numerator} ({value} %) have {keys} for which {target} has {at} levels or more in the original file, up to the next number."
raises  = "At few levels: small classes, more or finer keys, and a target with a dominant level."
do      = "The people at 1 are those of Dorig: the original itself would reveal them."
reads   = ["spread"]
theme   = "spread"
at      = [1, 2, 3, 5, 10]
said_at = "first"
---*/
SELECT
    SUM(CASE
        WHEN n_levels_orig >= {{ at_numerator }} AND ({{ at_next }} IS NULL OR n_levels_orig < {{ at_next }})
            THEN counted_orig
        ELSE 0
    END) AS numerator,
    SUM(people) AS denominator
FROM {{ profiles }}
