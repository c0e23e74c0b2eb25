/*---
name    = "S_WMabsDD"
title   = "Weighted mean absolute difference over the degrees of freedom"
formula = "WMabsDD / (k - 1)"
source  = "synthpop 1.9-3, utility.tab()"
unit    = "times what is expected"
higher  = "less utility"
order   = 18
says    = "As S_pMSE, by WMabsDD. A table of one cell has none."
---*/
{% from "macros/numbers.sql" import share %}
{% from "macros/utility.sql" import freedom, weighted_differences %}
SELECT table_number, synthesis, {{ share(weighted_differences(), freedom()) }} AS value
FROM {{ scored_counts }}
GROUP BY table_number, synthesis
