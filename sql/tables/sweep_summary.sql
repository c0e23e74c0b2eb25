/*---
grain = """\
one row per number (head) and number of keys, with its distribution over the subsets of that size, each counted once"""
reads = "sweep_results, sweep_subsets"
---*/
{% from "macros/numbers.sql" import share %}
-- The standard deviation is the population one (divided by the number of subsets). Subsets without a value are left
-- out, and counted in `missing`. The mean is computed as the minimum plus the mean difference from it, so that the mean
-- of equal values is exact. Sums of squared deviations below 1e-24 n mean^2 are rounding and count as 0.
SELECT
    head, key_length,
    COUNT(*) AS subsets,
    CAST(SUM(CASE WHEN value IS NULL THEN 1 ELSE 0 END) AS BIGINT) AS missing,
    {# unchanged by [MAX → MIN] in the next 4 lines: all rows of a group have one value #}
    MAX(centre) AS mean,
    CASE
        {# unchanged by [<= → <]: 0 gives 0 in both branches #}
        WHEN SUM((value - centre) * (value - centre)) <= 1e-24 * COUNT(value) * MAX(centre)
            * MAX(centre) THEN CAST(0 AS DOUBLE)
        ELSE SQRT({{ share("SUM((value - centre) * (value - centre))", "COUNT(value)") }})
    END AS sd,
    MIN(value) AS least,
    MAX(value) AS most,
    AVG(nonmatches) AS mean_nonmatches
FROM (
    SELECT
        head, key_length, value, nonmatches, lowest + AVG(value - lowest) OVER (PARTITION BY head, key_length) AS centre
    FROM (
        SELECT
            results.head AS head, subsets.key_length AS key_length, results.value AS value,
            results.nonmatches AS nonmatches,
            {# unchanged by [MIN → MAX]: the mean stays equal from the highest value on #}
            MIN(results.value) OVER (PARTITION BY results.head, subsets.key_length) AS lowest
        FROM {{ sweep_results }} AS results
        JOIN {{ sweep_subsets }} AS subsets ON results.subset = subsets.subset
    ) AS sizes
) AS centred
GROUP BY head, key_length
