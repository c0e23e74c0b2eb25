/*---
grain = "one row per risky cell (or class) of one comparison, most people first"
reads = "compared_cells or compared_classes"
---*/
SELECT {{ columns | join(", ") }}
FROM (
    {{ compared | indent(4) }}
) AS {{ stage }}
WHERE ({{ risky }}) AND {{ counted }} > 0
ORDER BY {{ counted }} DESC, {{ columns | join(", ") }}
LIMIT {{ limit }}
