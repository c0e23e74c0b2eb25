/*---
name    = "min_DCAP_cells"
title   = "Number of cells that reach the smallest possible correct attribution"
formula = "number of pairs of a class q of the original and a level t of the original with the smallest d_tq"
source  = "after Baillargeon & Charest 2020"
scale   = "count"
kind    = "ties of the least count"
unit    = "pairs of a class and a target level"
higher  = "more ways to lower DCAP as far as possible"
order   = 3
says    = "There are {value} cells of {keys} and {target} with the fewest people. A synthetic file with all records there has the smallest share of right guesses."
raises  = "Many cells of the original with equally few people."
do      = "sqlrisk cells min_DCAP lists them. Do not publish a file with all records in one of them: it would be useless."
reads   = ["spread"]
theme   = "spread"
least   = "counted_low"
# unchanged by [= → <=]: no value is below the minimum
---*/
SELECT
    MIN(CASE WHEN people > 0 THEN {{ least }} END) AS least,
    SUM(CASE WHEN people > 0 AND {{ least }} = counted_lowest THEN n_low ELSE 0 END) AS value
FROM {{ profiles }}
