/*---
grain = "one row per synthesis alone: the people, and those whose keys are in it"
reads = "overlap"
---*/
SELECT
    comparison, CAST(SUM(records_both) AS BIGINT) AS records_both,
    CAST(SUM(records_both + records_only_original) AS BIGINT) AS people
FROM {{ overlap }} AS overlap
WHERE comparison IN ({{ comparisons | map(attribute="number") | join(", ") }})
GROUP BY comparison
