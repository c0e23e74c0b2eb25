/*---
name   = "majority"
title  = "The most frequent level of the training file, for everybody"
source = "the baseline of Hittmeir, Mayer & Ekelhart 2020"
knows  = "nothing"
order  = 1
says   = "Guesses the most frequent {target} of the training file for everybody."
---*/
SELECT level_code, n_syn_level AS score
FROM {{ training_levels }} AS training_levels
