/*---
name    = "linked_alone"
title   = "Among people with exactly one nearest record on each side, those for whom both are the same record"
formula = "100 * number of people with |NA| = |NB| = |NA and NB| = 1 / number of people with |NA| = |NB| = 1, both after exclusions; NA, NB: the synthetic records nearest on each side"
source  = "Giomi et al. 2023 (Anonymeter), linkability, of all people for whom it is defined instead of a sample"
scale   = "percent"
kind    = "proportion of people"
unit    = "percent of people with one nearest record on each side"
higher  = "more risk"
order   = 8
says    = "For {denominator} people exactly one synthetic record is nearest on each side of the link {target}; for {numerator} of them ({value} %) it is the same record."
raises  = "A synthesizer that keeps whole records, or which levels go together."
do      = "Compare with people who were not in the synthesis (--control), and see nearest_alone for how many people it is about."
needs   = "a link"
# unchanged by [= → <=] 1 AND, n_near_b [= → <=]: each side has at least one nearest record
# unchanged by n_near_both [= → >=]: the count on both sides never exceeds the count on one side
---*/
SELECT
    SUM(CASE WHEN n_near_a = 1 AND n_near_b = 1 AND n_near_both = 1 THEN counted_orig ELSE 0 END) AS numerator,
    SUM(CASE WHEN n_near_a = 1 AND n_near_b = 1 THEN counted_orig ELSE 0 END) AS denominator
FROM {{ linked_classes }}
