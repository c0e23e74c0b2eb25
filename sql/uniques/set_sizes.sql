/*---
grain = """\
one row per number of keys in a minimal set that singles somebody out, with the number of these sets, and of records \
whose smallest set has this number"""
reads = "minimal_uniques, suda_scores"
---*/
{# unchanged by [SUM → MAX]: the other row with this size has 0 #}
SELECT set_size, CAST(SUM(sets) AS BIGINT) AS n_sets, CAST(SUM(records) AS BIGINT) AS n_records
FROM (
    SELECT n_keys AS set_size, COUNT(*) AS sets, 0 AS records
    FROM {{ minimal_uniques }} AS minimal_uniques
    WHERE n_keys > 0
    GROUP BY n_keys
    UNION ALL
    SELECT smallest_set AS set_size, 0 AS sets, COUNT(*) AS records
    FROM {{ suda_scores }} AS suda_scores
    GROUP BY smallest_set
) AS sizes
GROUP BY set_size
