/*---
name    = "linked_drawn"
title   = "Chance that records drawn at random for each side are the same record"
formula = "100 * sum over people of s_ab / (s_a * s_b) / N_d; 0 if s_a or s_b is 0; s_a, s_b, s_ab: synthetic records with one side, the other, both"
source  = "sqlrisk; linked, each tie broken by a draw of its own"
scale   = "percent"
kind    = "mean over people"
unit    = "percent of original records"
higher  = "more risk"
order   = 2
says    = "Someone who draws one synthetic record with one side of the link {target} and one with the other draws the same record for {value} % of {denominator} people on average."
raises  = "Records that are the only one with either side: many columns or levels on both sides, kept as they are."
do      = "Compare with linked: the wider apart they are, the more ties protect. Coarsen the columns of the side with fewer records for each level."
criterion = "linkability"
finding = "What could be joined by chance, {target}"
figures = ["links"]
needs   = "a link"
# unchanged by [= → <=]: no count is below 0
each    = "CASE WHEN radius_a = 0 AND radius_b = 0 THEN share_drawn ELSE 0 END"
# unchanged by [= → <=]: no count is below 0
---*/
SELECT
    SUM(counted_orig * CASE WHEN radius_a = 0 AND radius_b = 0 THEN share_drawn ELSE 0 END) AS numerator,
    SUM(people) AS denominator
FROM {{ linked_classes }}
