/*---
name    = "UiO-repU"
title   = "Uniques that the synthesis hides"
formula = "UiO - repU"
source  = "Raab 2024, sect. 3.2"
scale   = "percent"
kind    = "proportion of people"
unit    = "percentage points of original records"
higher  = "more protection by the synthesis"
sense   = "more protection"
order   = 1
says    = "Of {denominator} people, {numerator} ({value} %) are unique on {keys} in the original file and not replicated as a unique in the synthetic file."
raises  = "Uniques of the original whose combination the synthetic file lacks, or has more than once."
do      = "Compare with UiO: the rest is repU, the uniques that the synthesis did not hide."
# unchanged by [= → <=]: a class without people adds 0
risky   = "n_orig = 1 AND n_syn <> 1"
---*/
SELECT
    SUM(CASE WHEN {{ risky }} THEN counted_orig ELSE 0 END) AS numerator,
    SUM(people) AS denominator
FROM {{ classes }}
