/*---
name    = "G"
title   = "G statistic of the cells that both files have"
formula = "2 sum of s ln((s / S) / (d / D)) over cells with d > 0 and s > 0, of D and S records"
source  = "synthpop 1.9-3, utility.tab()"
unit    = "chi-squared"
higher  = "less utility"
order   = 9
says    = "The likelihood ratio. It drops the cells that one of the files lacks."
---*/
{% from "macros/utility.sql" import likelihood_ratio %}
SELECT table_number, synthesis, {{ likelihood_ratio() }} AS value
FROM {{ scored_counts }}
WHERE n_orig > 0 AND n_syn > 0
GROUP BY table_number, synthesis
