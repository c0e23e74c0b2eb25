/*---
name    = "records_within"
title   = "Synthetic records that differ from a person in at most a given number of columns"
formula = "100 * (synthetic records whose nearest person is at Hamming distance r or less, over all columns) / N_s"
source  = "Hamming distance to the nearest record; no verdict: Pilgram et al. 2025, Yao et al. 2025"
scale   = "percent"
kind    = "proportion of records like people"
unit    = "percent of synthetic records"
higher  = "more rows near people in the file, by memory or by chance: control shows which"
order   = 11
says    = "{numerator} of {denominator} synthetic records ({value} %) differ from a person in {at} columns at most."
raises  = "As for copied_records."
do      = "Compare it with control of about the same size: in a larger group chance finds a nearer person."
figures = ["nearness"]
label   = "Synthetic records with a person"
at      = [0, 1]
said_at = "first"
at_setting = "row_radii"
# unchanged by [counted_syn → synthetic]: exclusions concern keys and targets, so they exclude no whole rows
# unchanged by [synthetic → counted_syn]: exclusions concern keys and targets, so they exclude no whole rows
---*/
SELECT
    SUM(CASE WHEN radius_orig <= {{ at_numerator }} THEN counted_syn ELSE 0 END) AS numerator,
    SUM(synthetic) AS denominator
FROM {{ near_rows }}
