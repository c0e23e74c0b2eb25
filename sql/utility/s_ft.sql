/*---
name    = "S_FT"
title   = "Freeman-Tukey statistic over its degrees of freedom"
formula = "FT / (k - 1)"
source  = "synthpop 1.9-3, utility.tab()"
unit    = "times what is expected"
higher  = "less utility"
order   = 6
says    = "As S_pMSE, by FT. A table of one cell has none."
---*/
{% from "macros/numbers.sql" import share %}
{% from "macros/utility.sql" import freedom, freeman_tukey %}
SELECT table_number, synthesis, {{ share(freeman_tukey(), freedom()) }} AS value
FROM {{ scored_counts }}
GROUP BY table_number, synthesis
