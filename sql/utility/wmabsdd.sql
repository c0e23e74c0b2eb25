/*---
name    = "WMabsDD"
title   = "Weighted mean absolute difference in densities"
formula = "sum of |s - d N_s / N_d| / sqrt((d + s) c) / sqrt(2 / pi)"
source  = "synthpop 1.9-3, utility.tab()"
unit    = "expected differences"
higher  = "less utility"
order   = 17
says    = "The differences between synthetic and expected records, each divided by the difference expected by chance."
---*/
{% from "macros/utility.sql" import weighted_differences %}
SELECT table_number, synthesis, {{ weighted_differences() }} AS value
FROM {{ scored_counts }}
GROUP BY table_number, synthesis
