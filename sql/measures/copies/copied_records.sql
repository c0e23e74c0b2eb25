/*---
name    = "copied_records"
title   = "Synthetic records that equal the whole row of a person"
formula = "100 * sum of y where x > 0, / N_s; x people and y synthetic records have a row"
source  = "counts of whole rows; no verdict: Pilgram et al. 2025, Yao et al. 2025"
scale   = "percent"
kind    = "proportion of records like people"
unit    = "percent of synthetic records"
higher  = "more rows of people in the file, by memory or by chance: control shows which"
order   = 7
says    = "Of {denominator} synthetic records, {numerator} ({value} %) have all values of a person."
raises  = "A synthesizer that repeats what it was given, many people, and few columns with few levels."
do      = "Compare with the people of control, at equal size: in a larger group more rows are equal by chance (copied_records_equal_size)."
# unchanged by [people → counted_orig]: exclusions are about keys and targets: of whole rows nobody is left out
# unchanged by [counted_syn → synthetic]: exclusions are about keys and targets: of whole rows nobody is left out
# unchanged by [synthetic → counted_syn]: exclusions are about keys and targets: of whole rows nobody is left out
---*/
SELECT
    SUM(CASE WHEN people > 0 THEN counted_syn ELSE 0 END) AS numerator,
    SUM(synthetic) AS denominator
FROM {{ whole_rows }}
