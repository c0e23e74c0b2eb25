/*---
name    = "U"
title   = "Mann-Whitney U of propensity scores"
formula = "pairs of an original and a synthetic record in which the synthetic one has the higher s / (d + s), ties half"
source  = "synthpop 1.9-3, utility.tab()"
unit    = "pairs"
higher  = "less utility"
order   = 12
says    = "Half of all pairs if the scores do not separate the files, all pairs if they separate them completely."
---*/
{% from "macros/numbers.sql" import quotient %}
SELECT table_number, synthesis, {{ quotient("SUM(n_cells * n_syn * (orig_below + orig_upto))", "2") }} AS value
FROM {{ scored_counts }}
GROUP BY table_number, synthesis
