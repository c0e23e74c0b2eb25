/*---
name    = "pMSE"
title   = "Mean squared error of propensity scores"
formula = "sum of (d + s) (s / (d + s) - c)^2 / N, c = N_s / N"
source  = "Woo, Reiter, Oganian & Karr 2009; synthpop 1.9-3, utility.tab()"
unit    = "squared difference"
higher  = "less utility"
order   = 2
shown   = "yes"
says    = "How far the share of synthetic records in each cell is from their share in both files together. 0 if this share is equal in all cells."
---*/
{% from "macros/numbers.sql" import quotient %}
{% set off = "SUM(n_cells * (n_orig + n_syn) * (score - share_all) * (score - share_all))" %}
SELECT
    table_number, synthesis,
    {{ quotient(off, "SUM(n_cells * (n_orig + n_syn))") }} AS value
FROM {{ scored_counts }}
GROUP BY table_number, synthesis
