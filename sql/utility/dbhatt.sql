/*---
name    = "dBhatt"
title   = "Hellinger distance"
formula = "sqrt(1 - sum of sqrt(d / N_d s / N_s))"
source  = "Bhattacharyya 1943; synthpop 1.9-3, utility.tab()"
unit    = "distance"
higher  = "less utility"
order   = 19
says    = "0 if both files have the same shares, 1 if they share no cell."
---*/
{% from "macros/numbers.sql" import quotient %}
{% set root = "(SQRT(share_orig) - SQRT(share_syn))" %}
SELECT
    table_number, synthesis,
    SQRT({{ quotient("SUM(n_cells * " ~ root ~ " * " ~ root ~ ")", "2") }}) AS value
FROM {{ scored_counts }}
GROUP BY table_number, synthesis
