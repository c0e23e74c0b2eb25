/*---
grain = """\
one row per measure, point, target, population, weighting and number of pooled syntheses (x), with the value (y)"""
reads = "results"
---*/
SELECT
    measure, point, target, population, weighted,
    CAST(CASE
{% for comparison in points %}
        WHEN comparison = {{ comparison.number }} THEN {{ comparison.members | length }}
{% endfor %}
    END AS DOUBLE) AS x,
    value AS y
FROM {{ results }}
WHERE comparison IN ({{ points | map(attribute="number") | join(", ") }})
