/*---
name    = "linked_nearest_drawn"
title   = "Chance that nearest records drawn at random for each side are the same record"
formula = "100 * sum over people of |NA and NB| / (|NA| * |NB|) / N_d; NA, NB: the synthetic records nearest on each side"
source  = "Giomi et al. 2023 (Anonymeter), linkability; each tie broken by a draw of its own"
scale   = "percent"
kind    = "mean over people"
unit    = "percent of original records"
higher  = "more risk"
order   = 5
says    = "Someone who draws one of the synthetic records nearest on one side of the link {target} and one of those nearest on the other draws the same record for {value} % of {denominator} people on average."
raises  = "Records that are the only nearest one, on both sides: many columns or levels, kept as they are."
do      = "Compare with linked_nearest: the wider apart they are, the more ties protect; and with people who were not in the synthesis (--control)."
criterion = "linkability"
figures = ["links"]
needs   = "a link"
each    = "share_drawn"
---*/
SELECT
    SUM(counted_orig * share_drawn) AS numerator,
    SUM(people) AS denominator
FROM {{ linked_classes }}
