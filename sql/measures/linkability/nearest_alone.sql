/*---
name    = "nearest_alone"
title   = "People with exactly one nearest record on each side"
formula = "100 * number of people with |NA| = 1 and |NB| = 1, / N_d; NA, NB: the synthetic records nearest on each side"
source  = "Giomi et al. 2023 (Anonymeter), linkability, whose answer is defined only for these people"
scale   = "percent"
kind    = "proportion of people"
unit    = "percent of original records"
higher  = "more risk"
order   = 7
says    = "Of {denominator} people, {numerator} ({value} %) have no ties on either side of the link {target}: exactly one synthetic record is nearest to them on each."
raises  = "More columns or levels on both sides, which leave one record that fits best."
do      = "A file with few of them protects by ties: linked_alone is then about few people."
needs   = "a link"
# unchanged by [= → <=]: each side has at least one nearest record
---*/
SELECT
    SUM(CASE WHEN n_near_a = 1 AND n_near_b = 1 THEN counted_orig ELSE 0 END) AS numerator,
    SUM(people) AS denominator
FROM {{ linked_classes }}
