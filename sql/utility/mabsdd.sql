/*---
name    = "MabsDD"
title   = "Mean absolute difference in densities"
formula = "sum of |s / N_s - d / N_d|"
source  = "synthpop 1.9-3, utility.tab()"
unit    = "share"
higher  = "less utility"
order   = 14
shown   = "yes"
says    = "The differences between the shares of the two files, added up. This is twice TVD. synthpop calls it a mean."
---*/
{% from "macros/utility.sql" import differences %}
SELECT table_number, synthesis, {{ differences() }} AS value
FROM {{ scored_counts }}
GROUP BY table_number, synthesis
