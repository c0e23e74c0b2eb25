/*---
name   = "exact_match"
title  = "Exact match with fall-back to the nearest records (FR-NN)"
source = "Hittmeir, Mayer & Ekelhart 2020, algorithm 3.1; the vote of accuracy_GCAP"
needs  = "neighbours"
order  = 4
says   = "Takes the most frequent {target} among the records with the person's {keys}; where there is none, among those that differ in fewest of them."
---*/
SELECT
    {%+ for limb in limbs %}matches.{{ limb.name }} AS {{ limb.name }}, {% endfor %}matches.level_code AS level_code, matches.n_syn AS score
FROM {{ training_cells }} AS matches
JOIN {{ people }} AS people ON {% for limb in limbs %}{{ " AND " if not loop.first }}matches.{{ limb.name }} = people.{{ limb.name }}{% endfor %}{{ "" }}
UNION ALL
SELECT
    {%+ for limb in limbs %}neighbours.{{ limb.name }} AS {{ limb.name }}, {% endfor %}neighbours.level_code AS level_code, CAST(SUM(neighbours.n_near) AS BIGINT) AS score
FROM {{ neighbours }} AS neighbours
JOIN {{ people }} AS people ON {% for limb in limbs %}{{ " AND " if not loop.first }}neighbours.{{ limb.name }} = people.{{ limb.name }}{% endfor %}{{ "" }}
GROUP BY {% for limb in limbs %}neighbours.{{ limb.name }}, {% endfor %}neighbours.level_code
