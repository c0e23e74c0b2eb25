/*---
name    = "ContingencySimilarity"
title   = "Contingency similarity"
formula = "1 - 1/2 sum of |s / N_s - d / N_d|"
source  = "SDMetrics; for one column: TVComplement"
unit    = "share"
higher  = "more utility"
order   = 16
says    = "1 if both files have the same shares, 0 if they share no cell."
---*/
{% from "macros/numbers.sql" import quotient %}
{% from "macros/utility.sql" import differences %}
SELECT table_number, synthesis, 1 - {{ quotient(differences(), "2") }} AS value
FROM {{ scored_counts }}
GROUP BY table_number, synthesis
