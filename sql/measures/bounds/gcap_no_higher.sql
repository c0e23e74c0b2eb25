/*---
name    = "GCAP_no_higher"
title   = "Upper bound of generalized correct attribution over all synthetic files"
formula = "100 * sum over q of max over t of d_tq, / N_d"
source  = "sqlrisk; the question of Baillargeon & Charest 2020, asked of GCAP (Hittmeir, Mayer & Ekelhart 2020)"
scale   = "percent"
kind    = "fewest or most people of classes"
unit    = "percent of original records"
higher  = "more room for GCAP to rise"
order   = 14
says    = "For any synthetic file, drawing {target} from the synthetic records nearest by {keys} is right for at most {numerator} of {denominator} people ({value} %) on average."
raises  = "Classes in which most people have the same level."
do      = "Files seldom reach this bound, as it lets each class of people have its own nearest records. Somebody who has the original and guesses the most frequent level of the same keys is right this often."
reads   = ["spread"]
theme   = "spread"
---*/
SELECT
    SUM(counted_high) AS numerator,
    SUM(people) AS denominator
FROM {{ profiles }}
