/*---
name    = "people_within"
title   = "People with a synthetic record that differs in at most a given number of columns"
formula = "100 * (people whose nearest synthetic record is at Hamming distance r or less, over all columns) / N_d"
source  = "Hamming distance to the nearest record; no verdict: Pilgram et al. 2025, Yao et al. 2025"
scale   = "percent"
kind    = "proportion of people"
unit    = "percent of original records"
higher  = "more rows near people in the file, by memory or by chance: control shows which"
order   = 10
says    = "{numerator} of {denominator} people ({value} %) have a synthetic record that differs from them in {at} columns at most."
raises  = "As for copied_people. Columns with few levels agree by chance."
do      = "Compare it with control at the same radius."
figures = ["nearness"]
label   = "People with a synthetic record"
at      = [0, 1]
said_at = "first"
at_setting = "row_radii"
# unchanged by [counted_orig → people]: exclusions concern keys and targets, so they exclude no whole rows
# unchanged by [people → counted_orig]: exclusions concern keys and targets, so they exclude no whole rows
---*/
SELECT
    SUM(CASE WHEN radius_syn <= {{ at_numerator }} THEN counted_orig ELSE 0 END) AS numerator,
    SUM(people) AS denominator
FROM {{ near_rows }}
