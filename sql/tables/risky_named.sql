/*---
grain = "one row per synthesis and cell (or class) that makes a measure, with its levels as a person reads them"
reads = "named_cells"
---*/
SELECT {{ columns | join(", ") }}
FROM {{ named_cells }} AS cells
WHERE ({{ risky }}) AND {{ counted }} > 0
