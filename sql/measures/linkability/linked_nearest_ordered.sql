/*---
name    = "linked_nearest_ordered"
title   = "Chance that the first nearest record is the same on both sides, with the file in random order"
formula = "100 * sum over people of |NA and NB| / |NA or NB| / N_d; NA, NB: the synthetic records nearest on each side"
source  = "Giomi et al. 2023 (Anonymeter), linkability; ties on both sides broken by one random order of the file, as a program does that takes the first"
scale   = "percent"
kind    = "mean over people"
unit    = "percent of original records"
higher  = "more risk"
order   = 6
says    = "If the synthetic file is in random order and the first of the records nearest on each side of the link {target} is taken, both are the same record for {value} % of {denominator} people on average."
raises  = "Sides that have the same records nearest: columns that go together."
do      = "Expect this number from programs that take the first of several nearest records; their own differs with the order of the file."
figures = ["links"]
needs   = "a link"
each    = "share_ordered"
---*/
SELECT
    SUM(counted_orig * share_ordered) AS numerator,
    SUM(people) AS denominator
FROM {{ linked_classes }}
