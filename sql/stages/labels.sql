/*---
grain = "one row per level of a column, as a person reads it: a value, or a bin from low to high"
reads = "levels"
---*/
{% if column.bins %}
SELECT code, MIN(CASE WHEN low IS NULL THEN value END) AS value, MIN(low) AS low, MIN(high) AS high, MIN(closed) AS closed
FROM {{ levels }} AS levels
GROUP BY code
{% else %}
SELECT code, value, CAST(NULL AS DOUBLE) AS low, CAST(NULL AS DOUBLE) AS high, CAST(NULL AS INTEGER) AS closed
FROM {{ levels }} AS levels
{% endif %}
