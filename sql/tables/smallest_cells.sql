/*---
grain = "one row per target and cell with the minimum of a measure, among the cells that each pass has found"
reads = "least_cells"
---*/
SELECT {{ columns | join(", ") }}
FROM (
    SELECT {{ columns | join(", ") }}, least, MIN(least) OVER (PARTITION BY target) AS least_of_all
    FROM {{ least_cells }}
) AS least_cells
{# unchanged by [= → <=]: no value is below the minimum #}
WHERE least = least_of_all
