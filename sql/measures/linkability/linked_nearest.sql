/*---
name    = "linked_nearest"
title   = "People with a synthetic record that is among the nearest on both sides"
formula = "100 * number of people for whom some record is in NA and in NB / N_d; NA, NB: the synthetic records that differ from the person in the fewest columns of the side"
source  = "Giomi et al. 2023 (Anonymeter), linkability; ties count as links"
scale   = "percent"
kind    = "proportion of people"
unit    = "percent of original records"
higher  = "more risk"
order   = 4
says    = "Of {denominator} people, {numerator} ({value} %) have a synthetic record that is among the nearest to them on both sides of the link {target}."
raises  = "What raises linked; and many ties, which a file with few columns or levels on a side always has."
do      = "It is the most that any way to break ties could link: see also linked_nearest_drawn and linked_nearest_ordered. Compare with people who were not in the synthesis (--control)."
criterion = "linkability"
figures = ["links"]
needs   = "a link"
---*/
SELECT
    SUM(CASE WHEN n_near_both > 0 THEN counted_orig ELSE 0 END) AS numerator,
    SUM(people) AS denominator
FROM {{ linked_classes }}
