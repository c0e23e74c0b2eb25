/*---
name    = "records_by_radius"
title   = "People by the number of keys in which the nearest synthetic records differ"
formula = "100 * (people whose nearest synthetic records are at Hamming distance r) / N_d"
source  = "Hittmeir, Mayer & Ekelhart 2020, Algorithm 3.1"
scale   = "percent"
kind    = "proportion of people"
unit    = "percent of original records"
higher  = "at few keys: more risk"
order   = 4
says    = "For {numerator} of {denominator} people ({value} %) the nearest synthetic records differ in {at} of {keys}."
raises  = "At radius 0: coarser keys and more synthetic records. At greater ones: finer keys and fewer records."
do      = "People at radius 1 are nearly found, as by an intruder who is wrong about one key: compare GCAP with DCAP for them."
theme   = "near"
figures = ["radii"]
at      = [0, 1, 2]
said_at = "first"
at_setting = "radii"
---*/
SELECT
    SUM(CASE WHEN radius = {{ at_numerator }} THEN counted_orig ELSE 0 END) AS numerator,
    SUM(people) AS denominator
FROM {{ neighbours }}
