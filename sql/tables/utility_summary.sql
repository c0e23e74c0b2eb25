/*---
grain = """\
one row per measure of utility, synthesis and number of columns, with its mean, minimum and maximum over the tables of \
so many columns"""
reads = "utility_results, utility_tables"
---*/
-- Each table has the same weight. Tables without a value are left out.
SELECT measure, synthesis, ways, AVG(value) AS mean, MIN(value) AS least, MAX(value) AS most
FROM {{ utility_results }} AS results
JOIN {{ utility_tables }} AS tables ON results.table_number = tables.number
GROUP BY measure, synthesis, ways
