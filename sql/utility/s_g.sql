/*---
name    = "S_G"
title   = "G statistic over its degrees of freedom"
formula = "G / ((cells with d > 0 and s > 0) - 1)"
source  = "synthpop 1.9-3, utility.tab()"
unit    = "times the expected value"
higher  = "less utility"
order   = 10
says    = "Like S_pMSE, from G. It drops the cells that one of the files lacks."
---*/
{% from "macros/numbers.sql" import share %}
{% from "macros/utility.sql" import freedom, likelihood_ratio %}
SELECT table_number, synthesis, {{ share(likelihood_ratio(), freedom()) }} AS value
FROM {{ scored_counts }}
WHERE n_orig > 0 AND n_syn > 0
GROUP BY table_number, synthesis
