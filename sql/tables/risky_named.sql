/*---
grain = "one row per synthesis and cell (or class) that a measure counts, with readable levels"
reads = "named_cells"
---*/
SELECT {{ columns | join(", ") }}
FROM {{ named_cells }} AS cells
WHERE ({{ risky }}) AND {{ counted }} > 0
