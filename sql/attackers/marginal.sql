/*---
name   = "marginal"
title  = "A level drawn as often as the training file has it"
source = "sum over t of d_t / N_d * s_t / N_s; expected accuracy, nothing is drawn"
knows  = "nothing"
picks  = "drawn"
order  = 2
says   = "Guesses each {target} as often as the training file has it, for everybody."
---*/
SELECT level_code, n_syn_level AS score
FROM {{ training_levels }} AS training_levels
