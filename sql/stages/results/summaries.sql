/*---
grain = """\
one row per measure, point, target, population and weighting, with mean, minimum and maximum of the values that are \
not NULL, over the syntheses of one method"""
reads = "results"
---*/
SELECT measure, point, target, population, weighted, AVG(value) AS mean, MIN(value) AS least, MAX(value) AS most
FROM {{ results }}
WHERE comparison IN ({{ comparisons | map(attribute="number") | join(", ") }})
GROUP BY measure, point, target, population, weighted
