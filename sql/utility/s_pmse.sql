/*---
name    = "S_pMSE"
title   = "pMSE divided by its expected value under the right model"
formula = "VW / (k - 1) = pMSE N / ((k - 1) (1 - c)^2 c)"
source  = "Snoke, Raab, Nowok, Dibben & Slavkovic 2018; synthpop 1.9-3, utility.tab()"
unit    = "times the expected value"
higher  = "less utility"
order   = 3
shown   = "yes"
says    = "Expect 1 for a synthesis from the right model. Not defined for a table of one cell."
---*/
{% from "macros/numbers.sql" import share %}
{% from "macros/utility.sql" import freedom, voas_williamson %}
SELECT table_number, synthesis, {{ share(voas_williamson(), freedom()) }} AS value
FROM {{ scored_counts }}
GROUP BY table_number, synthesis
