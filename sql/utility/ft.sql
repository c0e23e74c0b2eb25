/*---
name    = "FT"
title   = "Freeman-Tukey statistic"
formula = "4 sum of (sqrt(s) - sqrt(d N_s / N_d))^2"
source  = "Freeman & Tukey 1950; synthpop 1.9-3, utility.tab()"
unit    = "chi-squared"
higher  = "less utility"
order   = 5
shown   = "yes"
says    = "Squared differences between the roots of synthetic and of expected records."
---*/
{% from "macros/utility.sql" import freeman_tukey %}
SELECT table_number, synthesis, {{ freeman_tukey() }} AS value
FROM {{ scored_counts }}
GROUP BY table_number, synthesis
