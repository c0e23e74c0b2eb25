/*---
name    = "SPECKS"
title   = "Kolmogorov-Smirnov distance of propensity scores"
formula = "largest distance between the distributions of s / (d + s) among original and among synthetic records"
source  = "Bowen, Liu & Su 2021; synthpop 1.9-3, utility.tab()"
unit    = "share"
higher  = "less utility"
order   = 11
says    = "0 if scores are distributed equally in both files, 1 if they separate the files completely."
---*/
{% from "macros/numbers.sql" import quotient %}
{% from "macros/utility.sql" import apart %}
{% set orig, syn = quotient("orig_upto", "people"), quotient("syn_upto", "synthetic") %}
SELECT
    table_number, synthesis,
    MAX({{ apart(orig, syn) }}) AS value
FROM {{ scored_counts }}
GROUP BY table_number, synthesis
