/*---
grain = "one row: how many levels the target has in each side's file, and how many are most frequent there"
reads = "marginals"
---*/
{% from "macros/counts.sql" import records_of %}
SELECT
    COUNT(CASE WHEN of_people > 0 THEN 1 END) AS n_levels_all,
    COUNT(CASE WHEN of_syn > 0 THEN 1 END) AS n_levels_syn,
    {# unchanged by [= → >=] in the next 2 lines: nothing is more than the most #}
    MAX(of_syn) AS top_level_syn, COUNT(CASE WHEN of_syn = most_syn THEN 1 END) AS n_mode_syn,
    MAX(of_orig) AS top_level_orig, COUNT(CASE WHEN of_orig = most_orig THEN 1 END) AS n_mode_orig
FROM (
    SELECT
        {{ comparison.people.count }} AS of_people, {{ records_of(comparison.members) }} AS of_syn, n_orig AS of_orig,
        MAX({{ records_of(comparison.members) }}) OVER () AS most_syn, MAX(n_orig) OVER () AS most_orig
    FROM {{ marginals }}
) AS level_counts
