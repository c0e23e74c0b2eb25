/*---
name    = "S_WMabsDD"
title   = "Weighted mean absolute difference over the degrees of freedom"
formula = "WMabsDD / (k - 1)"
source  = "synthpop 1.9-3, utility.tab()"
unit    = "times the expected value"
higher  = "less utility"
order   = 18
says    = "Like S_pMSE, from WMabsDD. Not defined for a table of one cell."
---*/
{% from "macros/numbers.sql" import share %}
{% from "macros/utility.sql" import freedom, weighted_differences %}
SELECT table_number, synthesis, {{ share(weighted_differences(), freedom()) }} AS value
FROM {{ scored_counts }}
GROUP BY table_number, synthesis
