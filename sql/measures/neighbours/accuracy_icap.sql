/*---
name    = "accuracy_ICAP"
title   = "Majority vote of the synthetic class, non-matches left out"
formula = "100 * sum over q of (people of the modal levels of s_tq) / (number of modal levels) / people whose q occurs in the synthetic file"
source  = "Baillargeon & Charest 2020, records predicted correctly; the vote of SDMetrics' CategoricalCAP"
scale   = "percent"
kind    = "mean over people"
unit    = "percent of original records in matched classes"
higher  = "more risk"
order   = 2
says    = "Among the {denominator} people whose {keys} occur in the synthetic file, guessing {target} by the most frequent level there is right for {numerator} ({value} %)."
raises  = "Classes whose majority is the true level; people with rare keys, who are not found, are left out."
do      = "Compare with accuracy_mode. iS says how many people it is about."
swept   = true
figures = ["accuracies"]
label   = "ICAP"
knows   = "keys"
---*/
SELECT
    COALESCE(SUM(CAST(counted_modal AS DOUBLE) / NULLIF(CAST(n_modal AS DOUBLE), 0)), 0) AS numerator,
    SUM(CASE WHEN n_syn > 0 THEN people ELSE 0 END) AS denominator
FROM {{ profiles }}
