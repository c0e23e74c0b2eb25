/*---
grain = """\
one row per measure of utility and table, with its mean over the syntheses of one method, numbered as a synthesis"""
reads = "utility_results"
---*/
SELECT measure, table_number, CAST({{ number }} AS INTEGER) AS synthesis, AVG(value_of_one) AS value
FROM (
    SELECT measure, table_number, value AS value_of_one
    FROM {{ utility_results }}
    WHERE synthesis IN ({{ syntheses | map(attribute="number") | join(", ") }})
) AS of_method
GROUP BY measure, table_number
