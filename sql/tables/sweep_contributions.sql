/*---
grain = "one row per key and number (head), with the change of the number if an intruder knows this key too"
reads = "sweep_results, sweep_steps"
---*/
-- A step is a subset with the key and the same subset without it, both in the sweep. Each step has the same weight.
-- Steps with a missing value are left out. A change below 1e-12 of the value is rounding and counts as 0.
SELECT
    key_number, head,
    COUNT(*) AS steps,
    AVG(more) AS mean,
    MIN(more) AS least,
    MAX(more) AS most
FROM (
    SELECT
        steps.key_number AS key_number, larger.head AS head,
        CASE
            {# unchanged by [<= → <]: 0 gives 0 in both branches #}
            WHEN (larger.value - smaller.value) * (larger.value - smaller.value) <= 1e-24 * larger.value
                * larger.value THEN CAST(0 AS DOUBLE)
            ELSE larger.value - smaller.value
        END AS more
    FROM {{ sweep_steps }} AS steps
    JOIN {{ sweep_results }} AS larger ON steps.subset = larger.subset
    JOIN {{ sweep_results }} AS smaller ON steps.without_key = smaller.subset AND larger.head = smaller.head
    WHERE larger.value IS NOT NULL AND smaller.value IS NOT NULL
) AS changes
GROUP BY key_number, head
