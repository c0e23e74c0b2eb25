/*---
name    = "GCAP_no_lower"
title   = "Lower bound of generalized correct attribution over all synthetic files"
formula = "100 * sum over q of min over t of d_tq, / N_d"
source  = "sqlrisk; the question of Baillargeon & Charest 2020, asked of GCAP (Hittmeir, Mayer & Ekelhart 2020)"
scale   = "percent"
kind    = "fewest or most people of classes"
unit    = "percent of original records"
higher  = "less room to lower GCAP"
order   = 13
says    = "For any synthetic file whose {target} has only levels of the original, drawing {target} from the synthetic records nearest by {keys} is right for at least {numerator} of {denominator} people ({value} %) on average."
raises  = "Classes of people in which even the rarest level is frequent."
do      = "Files seldom reach this bound, as it lets each class of people have its own nearest records. If everybody's keys are found it is reached, and equals min_DCAP_at_totals."
reads   = ["spread"]
theme   = "spread"
---*/
SELECT
    SUM(counted_low) AS numerator,
    SUM(people) AS denominator
FROM {{ profiles }}
