/*---
name    = "copied_people_one_to_one"
title   = "People with an equal synthetic record, if each record stands for only one person"
formula = "100 * sum of min(x, y) / N_d; x people and y synthetic records have a row"
source  = "counts of whole rows; no verdict: Pilgram et al. 2025, Yao et al. 2025"
scale   = "percent"
kind    = "mean over people"
unit    = "percent of original records"
higher  = "more rows of people in the file, by memory or by chance: control shows which"
order   = 2
says    = "If each synthetic record may stand for only one person, {numerator} of {denominator} people ({value} %) have one with all their values."
raises  = "A file that has each row as often as people have it, as a copy has."
do      = "Compare with copied_people: if it is far below, few synthetic records stand for many people who are alike."
# unchanged by [counted_orig → people]: exclusions are about keys and targets: of whole rows nobody is left out
# unchanged by [people → counted_orig]: exclusions are about keys and targets: of whole rows nobody is left out
---*/
SELECT
    SUM(
        CASE
            WHEN n_syn < n_orig THEN counted_orig * CAST(n_syn AS DOUBLE) / CAST(n_orig AS DOUBLE)
            ELSE counted_orig
        END
    ) AS numerator,
    SUM(people) AS denominator
FROM {{ whole_rows }}
