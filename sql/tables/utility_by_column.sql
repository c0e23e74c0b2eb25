/*---
grain = """\
one row per measure of utility, synthesis, number of columns and column, with its mean over the tables with this \
column"""
reads = "utility_results, utility_columns"
---*/
SELECT measure, synthesis, ways, column_number, AVG(value) AS mean
FROM {{ utility_results }} AS results
JOIN {{ utility_columns }} AS of_table ON results.table_number = of_table.number
GROUP BY measure, synthesis, ways, column_number
