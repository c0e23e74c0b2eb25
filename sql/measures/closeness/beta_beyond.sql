/*---
name    = "beta_beyond"
title   = "People whose level gains more in their class than any enhanced beta-likeness allows"
formula = "100 * sum of d_tq where (d_tq / d_q - d_t / N_d) / (d_t / N_d) > -ln(d_t / N_d), / N_d"
source  = "Cao & Karras 2012, def. 3: every gain at most min(beta, -ln of the level's share), level by level"
scale   = "percent"
kind    = "proportion of people"
unit    = "percent of original records"
higher  = "more risk"
order   = 6
says    = "Of {denominator} people, {numerator} ({value} %) have {keys} for which their {target} is more frequent than any enhanced beta-likeness allows."
raises  = "Frequent levels that are more frequent still in a class, and rare ones in small classes."
do      = "As long as it counts anybody, the original has no enhanced beta-likeness at any beta: coarsen the keys of the cells that sqlrisk cells lists."
reads   = ["closeness"]
risky   = "CAST(n_orig AS DOUBLE) * n_own_all > CAST(n_orig_class AS DOUBLE) * n_own_level * (1 - LN(NULLIF(CAST(n_own_level AS DOUBLE), 0) / CAST(n_own_all AS DOUBLE)))"
---*/
SELECT
    SUM(CASE WHEN {{ risky }} THEN counted_orig ELSE 0 END) AS numerator,
    SUM(people) AS denominator
FROM {{ cells }}
