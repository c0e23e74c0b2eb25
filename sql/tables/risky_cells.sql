/*---
grain = "one row per risky cell (or class) of one comparison, most people first; or those worth looking at first"
reads = "compared_cells or compared_classes; marginals for what is worth looking at"
---*/
SELECT {{ columns | join(", ") }}
FROM (
    {{ compared | indent(4) }}
) AS {{ stage }}
{% if marginals %}
-- Worth looking at: a level that few have, so that it is far from what a guess would tell; of one level, many people.
INNER JOIN (
    SELECT level_code AS level_known, {{ original.count }} AS n_level, {{ original.count_all }} AS n_all
    FROM {{ marginals }}
) AS known ON level_code = level_known
{% endif %}
WHERE ({{ risky }}) AND {{ counted }} > 0
ORDER BY {{ "n_level, " if marginals }}{{ counted }} DESC, {{ columns | join(", ") }}
LIMIT {{ limit }}
