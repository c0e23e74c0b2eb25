/*---
name    = "universe_size"
title   = "People by the number of people of the universe with their keys"
formula = "100 * sum of d_q where k <= p_q < next k, / N_d"
source  = "the distribution that ARX's records at risk are read off"
scale   = "percent"
kind    = "proportion of people"
unit    = "percent of original records"
higher  = "at few people: more risk"
order   = 6
says    = "Of {denominator} people, {numerator} ({value} %) have {keys} that {at} or more people of the universe have, up to the next number."
raises  = "At few people: more or finer keys, a small universe."
do      = "Those at fewer than 5 have a risk above 0.2. The rest up to 100 % is absent_from_universe."
needs   = "a universe"
at      = [1, 2, 3, 5, 10]
said_at = "first"
at_setting = "class_sizes"
---*/
SELECT
    SUM(CASE
        WHEN n_universe >= {{ at_numerator }} AND ({{ at_next }} IS NULL OR n_universe < {{ at_next }})
            THEN counted_orig
        ELSE 0
    END) AS numerator,
    SUM(people) AS denominator
FROM {{ classes }}
