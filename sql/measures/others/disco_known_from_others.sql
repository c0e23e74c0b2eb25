/*---
name    = "DiSCO_known_from_others"
title   = "Correctly disclosed by the synthetic file, and also revealed by all others in the original"
formula = "100 * sum of d_tq where s_tq = s_q > 0 and d_tq = d_q > 1, / N_d; for control d_q > 0"
source  = "sqlrisk: DiSCO (Raab 2024, eq. 11) by what is known without the person (Francis & Wagner 2024)"
scale   = "percent"
kind    = "proportion of people"
unit    = "percent of original records"
higher  = "more of DiSCO would hold without the person's record"
order   = 6
says    = "Of {denominator} people, {numerator} ({value} %) would have {target} revealed by the synthetic file, and all others in the original file with their {keys} have the same level."
raises  = "Keys that determine the target of everybody who has them."
do      = "It is the part of DiSCO that leaving the person out would hardly have prevented. It is still a risk if nothing may be revealed about the group. Relatives in the file count as others."
reads   = ["others"]
figures = ["others"]
label   = "known from others"
# unchanged by [= → >=]: a cell has no more records than its class
# unchanged by [n_orig → n_syn]: another condition tests this too, and a file without a record adds 0
# unchanged by n_orig [> → >=]: if the file has no record, nobody is counted and 0 is added
risky   = "n_syn = n_syn_class AND n_syn > 0 AND n_orig > 0 AND n_others = n_others_class AND n_others > 0"
---*/
SELECT
    SUM(CASE WHEN {{ risky }} THEN counted_orig ELSE 0 END) AS numerator,
    SUM(people) AS denominator
FROM {{ cells }}
