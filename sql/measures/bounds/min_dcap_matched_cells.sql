/*---
name    = "min_DCAP_matched_cells"
title   = "Number of cells that reach the smallest possible correct attribution, non-matches left out"
formula = "number of pairs of a class q of the original and a level t of the original with the smallest d_tq / d_q"
source  = "after Baillargeon & Charest 2020"
scale   = "count"
kind    = "ties of the least value"
unit    = "pairs of a class and a target level"
higher  = "more ways to lower DCAP_matched as far as possible"
order   = 4
says    = "There are {value} cells of {keys} and {target} with the smallest share of their class. A synthetic file with all records there has the smallest share of right guesses among the people it finds."
raises  = "Many cells of the original with the same smallest share."
do      = "sqlrisk cells min_DCAP_matched lists them. Do not publish a file with all records in one of them: it would be useless."
reads   = ["spread"]
least   = "share_low"
# unchanged by [> → >=]: a class without people has no share
# unchanged by [= → <=]: no value is below the minimum
---*/
SELECT
    MIN({{ least }}) AS least,
    SUM(CASE WHEN people > 0 AND {{ least }} = share_lowest THEN n_low ELSE 0 END) AS value
FROM {{ profiles }}
