/*---
grain = "one row per single synthesis, with the number of all people and of those whose keys it has"
reads = "overlap"
---*/
SELECT
    comparison, CAST(SUM(records_both) AS BIGINT) AS records_both,
    CAST(SUM(records_both + records_only_original) AS BIGINT) AS people
FROM {{ overlap }} AS overlap
WHERE comparison IN ({{ comparisons | map(attribute="number") | join(", ") }})
GROUP BY comparison
