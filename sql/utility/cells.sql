/*---
name    = "cells"
title   = "Cells of the table"
formula = "k, the cells with a record of the original or of the synthesis"
source  = "synthpop 1.9-3, utility.tab()"
unit    = "cells"
higher  = "larger tables"
order   = 1
says    = "How many combinations of levels the two files have between them."
---*/
SELECT table_number, synthesis, CAST(SUM(n_cells) AS DOUBLE) AS value
FROM {{ scored_counts }}
GROUP BY table_number, synthesis
