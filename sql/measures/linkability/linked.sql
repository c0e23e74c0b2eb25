/*---
name    = "linked"
title   = "People with a synthetic record that has both sides of the link"
formula = "100 * number of people with s_ab > 0, / N_d; a, b: the person's levels of the columns on each side, s_ab: synthetic records with both"
source  = "sqlrisk; the linkability of WP216 (Article 29 Working Party 2014), at equal levels"
scale   = "percent"
kind    = "proportion of people"
unit    = "percent of original records"
higher  = "more risk"
order   = 1
says    = "Of {denominator} people, {numerator} ({value} %) have both sides of the link ({target}) in one synthetic record: someone who looks at all records that have one of the sides finds one that has both."
raises  = "Few levels on either side and more synthetic records, which raise it for outsiders as well; a synthesizer that keeps which levels go together."
do      = "It is the most that any choice among the records could join. linked_drawn is what a random choice would join. Compare with people who were not in the synthesis (--control)."
criterion = "linkability"
finding = "What could be joined, {target}"
finding_figures = ["links"]
figures = ["links"]
needs   = "a link"
# unchanged by [= → <=]: no count is below 0
---*/
SELECT
    SUM(CASE WHEN radius_a = 0 AND radius_b = 0 AND n_near_both > 0 THEN counted_orig ELSE 0 END) AS numerator,
    SUM(people) AS denominator
FROM {{ linked_classes }}
