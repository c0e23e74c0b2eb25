/*---
name    = "copied_records"
title   = "Synthetic records that are the whole row of a person"
formula = "100 * sum of y where x > 0, / N_s"
source  = "counts of whole rows; no verdict: Pilgram et al. 2025, Yao et al. 2025"
scale   = "percent"
kind    = "proportion of records like people"
unit    = "percent of synthetic records"
higher  = "more rows of people in the file, by memory or by chance: control tells which"
order   = 7
says    = "Of {denominator} synthetic records, {numerator} ({value} %) have all values of a person."
raises  = "Few columns with few levels; many people to be met; a synthesizer that repeats what it was given."
do      = "Compare with the people of control, at equal size: more people are met by chance more often (copied_records_equal_size)."
# unchanged by [people → counted_orig]: exclusions are about keys and targets: of whole rows nobody is left out
# unchanged by [counted_syn → synthetic]: exclusions are about keys and targets: of whole rows nobody is left out
# unchanged by [synthetic → counted_syn]: exclusions are about keys and targets: of whole rows nobody is left out
---*/
SELECT
    SUM(CASE WHEN people > 0 THEN counted_syn ELSE 0 END) AS numerator,
    SUM(synthetic) AS denominator
FROM {{ whole_rows }}
