/*---
name    = "TCAP_disclosive"
title   = "Correctly disclosed among the people whose synthetic class has one target level"
formula = "100 * DiSCO / DiS"
source  = "Little, Elliot & Allmendinger 2022, as others read it; sources disagree on this denominator"
scale   = "percent"
kind    = "proportion of people"
unit    = "percent of original records in disclosive synthetic classes"
higher  = "more risk"
order   = 8
says    = "When all synthetic records with the same {keys} agree on {target}, they are right for {numerator} of {denominator} people ({value} %)."
raises  = "Keys that determine the target, and a level that most people have: then whoever is sure is right."
do      = "If it is low, an intruder who is sure is often wrong: say so with the release. If it is high, DiS says how many people it is about: act as for DiSCO."
above   = "synthetic"
# unchanged by [= → >=]: a cell has no more records than its class
# unchanged by [n_orig → n_syn], n_orig [> → >=]: a cell without people adds 0
risky   = "n_syn = n_syn_class AND n_syn > 0 AND n_orig > 0"
# unchanged by [= → >=]: a cell has no more records than its class
---*/
SELECT
    SUM(CASE WHEN {{ risky }} THEN counted_orig ELSE 0 END) AS numerator,
    SUM(CASE WHEN n_syn = n_syn_class AND n_syn > 0 THEN counted_orig_class ELSE 0 END) AS denominator
FROM {{ cells }}
