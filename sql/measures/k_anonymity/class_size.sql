/*---
name    = "class_size"
title   = "People by the size of their class (k-anonymity)"
formula = "100 * number of people with k <= d_q < next k, / N_d"
source  = "Samarati & Sweeney 1998 (k-anonymity); the distribution, as sdcMicro prints its violations of k-anonymity"
scale   = "percent"
kind    = "proportion of people"
unit    = "percent of original records"
higher  = "in small classes: more risk"
order   = 1
says    = "Of {denominator} people, {numerator} ({value} %) have a combination of {keys} that {at} people have in the original file, or more up to the next size."
raises  = "More keys or finer ones move people to the smallest sizes."
do      = "Look at the smallest sizes, and merge levels of the keys (--bins, coarser codes) until few people are below the size that your rules ask for."
figures = ["sizes"]
at      = [1, 2, 3, 5, 10]
said_at = "first"
at_setting = "class_sizes"
---*/
SELECT
    SUM(CASE
        WHEN n_orig >= {{ at_numerator }} AND ({{ at_next }} IS NULL OR n_orig < {{ at_next }}) THEN counted_orig
        ELSE 0
    END) AS numerator,
    SUM(people) AS denominator
FROM {{ classes }}
