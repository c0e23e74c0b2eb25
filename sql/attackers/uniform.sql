/*---
name   = "uniform"
title  = "A level drawn evenly among those of the training file"
source = "1 / number of levels; expected accuracy, nothing is drawn"
knows  = "nothing"
picks  = "drawn"
order  = 3
says   = "Guesses each {target} of the training file equally often, for everybody."
---*/
{# unchanged by [1 → 2]: only the highest scores are guessed, and they are all equal #}
SELECT level_code, 1 AS score
FROM {{ training_levels }} AS training_levels
