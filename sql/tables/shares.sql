/*---
grain = "one row per level of a target: its records in every file, the levels with most people first, so many of them"
reads = "marginals"
---*/
SELECT level_code{% for file in files %}, {{ file.count }}, {{ file.count_all }}{% endfor %}

FROM {{ marginals }}
ORDER BY n_orig DESC, level_code
LIMIT {{ limit }}
