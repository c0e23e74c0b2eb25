/*---
grain = "one row per level of the target in the training file, with the number of records"
reads = "marginals"
---*/
{% from "macros/counts.sql" import records_of %}
SELECT level_code, n_syn_level, n_syn_all
FROM (
    SELECT
        level_code,
        {{ records_of(comparison.members) }} AS n_syn_level,
        {{ records_of(comparison.members, "", "_all") }} AS n_syn_all
    FROM {{ marginals }}
) AS levels_seen
WHERE n_syn_level > 0
