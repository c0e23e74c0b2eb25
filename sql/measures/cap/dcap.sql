/*---
name    = "DCAP"
title   = "Correct attribution probability, a non-match counts as zero"
formula = "100 * sum of d_tq * (s_tq / s_q) / N_d"
source  = "Raab 2024, eq. 6; Taub, Elliot, Pampaka & Smith 2018"
scale   = "percent"
unit    = "percent of original records"
higher  = "more risk"
order   = 5
says    = "A guess of {target} from synthetic records with the same {keys} would be right for {value} % of {denominator} people on average."
each    = "share_syn"
---*/
SELECT
    COALESCE(SUM(counted_orig * share_syn), 0) AS numerator,
    SUM(people) AS denominator
FROM {{ cells }}
