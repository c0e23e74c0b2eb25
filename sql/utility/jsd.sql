/*---
name    = "JSD"
title   = "Jensen-Shannon divergence"
formula = "1/2 sum of p log2(p / m) + 1/2 sum of q log2(q / m), p = d / N_d, q = s / N_s, m = (p + q) / 2"
source  = "Lin 1991; synthpop 1.9-3, utility.tab()"
unit    = "bits"
higher  = "less utility"
order   = 7
shown   = "yes"
says    = "0 if both files have the same shares, 1 if they share no cell. This is the divergence, not its root."
---*/
{% from "macros/numbers.sql" import quotient %}
{% from "macros/utility.sql" import jensen_shannon %}
SELECT table_number, synthesis, {{ quotient(jensen_shannon(), "LN(2)") }} AS value
FROM {{ scored_counts }}
GROUP BY table_number, synthesis
