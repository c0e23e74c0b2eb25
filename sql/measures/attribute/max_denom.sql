/*---
name    = "max_denom"
title   = "Largest correctly disclosed group, in people"
formula = "max of d_tq over the cells of DiSCO"
source  = "synthpop 1.9-3, disclosure()"
scale   = "count"
kind    = "extreme count"
unit    = "people per cell"
higher  = "larger groups of people for whom the same guess is right"
order   = 7
says    = "The largest group whose {target} is revealed correctly by {keys} has {value} people."
raises  = "A target level that everybody with some keys has: no child has an income."
do      = "What a large group shares is mostly known anyway. Look at the group (sqlrisk cells DiSCO), and exclude it with --exclude-pair or --max-cell if you can say why."
# unchanged by [= → >=]: a cell has no more records than its class
# unchanged by [n_orig → n_syn], n_orig [> → >=]: a cell without people adds 0
risky   = "n_syn = n_syn_class AND n_syn > 0 AND n_orig > 0"
---*/
SELECT
    MAX(CASE WHEN {{ risky }} AND counted_orig > 0 THEN counted_most END) AS value
FROM {{ cells }}
