/*---
name    = "DiSCO_own"
title   = "Correctly disclosed by the synthetic file, but not revealed by the others in the original"
formula = "DiSCO - DiSCO_known_from_others: 100 * sum of d_tq where s_tq = s_q > 0, and d_q = 1 or d_tq < d_q, / N_d"
source  = "sqlrisk: DiSCO (Raab 2024, eq. 11) by what is known without the person (Francis & Wagner 2024)"
scale   = "percent"
kind    = "proportion of people"
unit    = "percent of original records"
higher  = "more risk"
order   = 7
says    = "Of {denominator} people, {numerator} ({value} %) would have {target} revealed by the synthetic file, although they are unique on their {keys} in the original file, or others there have another level."
raises  = "Small synthetic classes that kept the level of a unique person, or one of several levels."
do      = "These are the first to look at (sqlrisk cells DiSCO_own): no other record with their keys reveals their level. Coarsen keys or target, or synthesize with larger leaves."
reads   = ["others"]
figures = ["others"]
label   = "own"
# unchanged by n_syn [= → >=]: a cell has no more records than its class
# unchanged by [n_orig → n_syn]: another condition tests this too, and a file without a record adds 0
# unchanged by n_orig [> → >=]: if the file has no record, nobody is counted and 0 is added
# unchanged by [= → <=] 0)": no count is below 0
risky   = "n_syn = n_syn_class AND n_syn > 0 AND n_orig > 0 AND (n_others < n_others_class OR n_others_class = 0)"
---*/
SELECT
    SUM(CASE WHEN {{ risky }} THEN counted_orig ELSE 0 END) AS numerator,
    SUM(people) AS denominator
FROM {{ cells }}
