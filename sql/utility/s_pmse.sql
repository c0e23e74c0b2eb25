/*---
name    = "S_pMSE"
title   = "pMSE over what chance alone makes of it"
formula = "VW / (k - 1) = pMSE N / ((k - 1) (1 - c)^2 c)"
source  = "Snoke, Raab, Nowok, Dibben & Slavkovic 2018; synthpop 1.9-3, utility.tab()"
unit    = "times what is expected"
higher  = "less utility"
order   = 3
shown   = "yes"
says    = "1 is expected of a synthesis that is drawn from the right model. A table of one cell has none."
---*/
{% from "macros/numbers.sql" import share %}
{% from "macros/utility.sql" import freedom, voas_williamson %}
SELECT table_number, synthesis, {{ share(voas_williamson(), freedom()) }} AS value
FROM {{ scored_counts }}
GROUP BY table_number, synthesis
