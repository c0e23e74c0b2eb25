/*---
name    = "records_nearer"
title   = "Synthetic records nearer to one group (original or control) than to the other, ties count half"
formula = "(number of synthetic records nearer to the original than to control, and half of those as near to both) / N_s"
source  = "share of records closer to training than to holdout (Platzer & Reutterer 2021), by Hamming distance; no verdict: Pilgram et al. 2025, Yao et al. 2025"
scale   = "ratio"
kind    = "mean over records like people"
unit    = "share of synthetic records"
higher  = "nearer to the people of the synthesis than to others; with equally many people on both sides, 0.5 means no difference"
order   = 12
needs   = "control"
says    = "Of {denominator} synthetic records, a share of {value} is nearer to these people than to those on the other side, ties counted half."
raises  = "A synthesizer that repeats people; more people on this side than on the other."
do      = "It needs equally many people on both sides (sqlrisk split). Records beyond the radius (--row-radius) count as ties."
# unchanged by [counted_syn → synthetic]: exclusions are about keys and targets: of whole rows nobody is left out
# unchanged by [synthetic → counted_syn]: exclusions are about keys and targets: of whole rows nobody is left out
# unchanged by [= → <=]: what is less was asked before
---*/
SELECT
    SUM(
        CASE
            WHEN radius_orig < radius_others THEN CAST(counted_syn AS DOUBLE)
            WHEN radius_orig = radius_others THEN 0.5 * counted_syn
            ELSE 0
        END
    ) AS numerator,
    SUM(synthetic) AS denominator
FROM {{ near_rows }}
