/*---
grain = "one row per level of the target that the training file has, with its records"
reads = "marginals"
---*/
SELECT level_code, n_syn_level, n_syn_all
FROM (
    SELECT
        level_code,
        {%+ for file in comparison.members %}{{ " + " if not loop.first }}{{ file.count }}{% endfor %} AS n_syn_level,
        {%+ for file in comparison.members %}{{ " + " if not loop.first }}{{ file.count_all }}{% endfor %} AS n_syn_all
    FROM {{ marginals }}
) AS levels_seen
WHERE n_syn_level > 0
