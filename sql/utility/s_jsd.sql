/*---
name    = "S_JSD"
title   = "Jensen-Shannon divergence over what chance alone makes of it"
formula = "8 N_s ln(2) JSD / (k - 1)"
source  = "sqlrisk; synthpop 1.9-3 divides by ln(2) and has 2 N instead of 8 N_s, so that its expectation is not 1"
unit    = "times what is expected"
higher  = "less utility"
order   = 8
says    = "As S_pMSE, by JSD. A table of one cell has none."
---*/
{% from "macros/numbers.sql" import share %}
{% from "macros/utility.sql" import freedom, jensen_shannon %}
SELECT table_number, synthesis, {{ share("8 * MAX(synthetic) * " ~ jensen_shannon(), freedom()) }} AS value
FROM {{ scored_counts }}
GROUP BY table_number, synthesis
