/*---
name    = "VW"
title   = "Voas-Williamson statistic"
formula = "sum of (s - d N_s / N_d)^2 / ((d + s) c)"
source  = "Voas & Williamson 2001; synthpop 1.9-3, utility.tab()"
unit    = "chi-squared"
higher  = "less utility"
order   = 4
says    = "Squared differences between synthetic and expected records, each divided by the squared difference expected by chance."
---*/
{% from "macros/utility.sql" import voas_williamson %}
SELECT table_number, synthesis, {{ voas_williamson() }} AS value
FROM {{ scored_counts }}
GROUP BY table_number, synthesis
