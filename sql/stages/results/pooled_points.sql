/*---
grain = """\
one row per measure, point, target and population, counted or weighted, and number of pooled syntheses (x): its value \
(y)"""
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
