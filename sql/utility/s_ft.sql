/*---
name    = "S_FT"
title   = "Freeman-Tukey statistic over its degrees of freedom"
formula = "FT / (k - 1)"
source  = "synthpop 1.9-3, utility.tab()"
unit    = "times the expected value"
higher  = "less utility"
order   = 6
says    = "Like S_pMSE, from FT. Not defined for a table of one cell."
---*/
{% from "macros/numbers.sql" import share %}
{% from "macros/utility.sql" import freedom, freeman_tukey %}
SELECT table_number, synthesis, {{ share(freeman_tukey(), freedom()) }} AS value
FROM {{ scored_counts }}
GROUP BY table_number, synthesis
