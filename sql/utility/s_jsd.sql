/*---
name    = "S_JSD"
title   = "Jensen-Shannon divergence divided by its expected value under the right model"
formula = "8 N_s ln(2) JSD / (k - 1)"
source  = "sqlrisk; synthpop 1.9-3 divides by ln(2) and has 2 N instead of 8 N_s, so that its expectation is not 1"
unit    = "times the expected value"
higher  = "less utility"
order   = 8
says    = "Like S_pMSE, from JSD. Not defined for a table of one cell."
---*/
{% from "macros/numbers.sql" import share %}
{% from "macros/utility.sql" import freedom, jensen_shannon %}
SELECT table_number, synthesis, {{ share("8 * MAX(synthetic) * " ~ jensen_shannon(), freedom()) }} AS value
FROM {{ scored_counts }}
GROUP BY table_number, synthesis
