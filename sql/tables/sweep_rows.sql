/*---
grain = "one row per subset of the keys and number that is computed for it, with names instead of numbers of columns"
reads = "sweep_results, sweep_heads, sweep_subsets"
---*/
SELECT
    heads.measure AS measure, heads.family AS family, heads.point AS "at",
    heads.target AS target, heads.synthesis AS synthesis,
    heads.population AS population, heads.people AS people, heads.weighted AS weighted,
    subsets.key_length AS key_length, subsets.keys AS keys,
    results.numerator AS numerator, results.denominator AS denominator, results.value AS value,
    results.nonmatches AS nonmatches, heads.unit AS unit
FROM {{ sweep_results }} AS results
JOIN {{ sweep_heads }} AS heads ON results.head = heads.head
JOIN {{ sweep_subsets }} AS subsets ON results.subset = subsets.subset
ORDER BY results.subset, results.head
