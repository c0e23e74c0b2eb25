/*---
name    = "PO50"
title   = "Percent of records whose file is guessed right from their cell, minus 50"
formula = "100 sum of (s if s / N_s > d / N_d, else d) / N - 50"
source  = "synthpop 1.9-3, utility.tab()"
unit    = "percentage points"
higher  = "less utility"
order   = 13
says    = "By how many percentage points guessing a record's file from its cell beats 50 %. A tie is guessed as original."
---*/
{% from "macros/numbers.sql" import quotient %}
{% set told = "CASE WHEN n_syn * people > n_orig * synthetic THEN n_syn ELSE n_orig END" %}
SELECT
    table_number, synthesis,
    100 * {{ quotient("SUM(n_cells * " ~ told ~ ")", "SUM(n_cells * (n_orig + n_syn))") }} - 50 AS value
FROM {{ scored_counts }}
GROUP BY table_number, synthesis
