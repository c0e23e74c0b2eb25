/*---
name    = "TVD"
title   = "Total variation distance"
formula = "1/2 sum of |s / N_s - d / N_d|"
source  = "1 - ContingencySimilarity of SDMetrics"
unit    = "share"
higher  = "less utility"
order   = 15
shown   = "yes"
says    = "The share of synthetic records that would have to be in another cell for both files to have the same shares."
---*/
{% from "macros/numbers.sql" import quotient %}
{% from "macros/utility.sql" import differences %}
SELECT table_number, synthesis, {{ quotient(differences(), "2") }} AS value
FROM {{ scored_counts }}
GROUP BY table_number, synthesis
