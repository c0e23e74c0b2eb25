/*---
grain = "one row per class and level of the target that a synthesis holds: the records of each synthesis"
reads = "records"
---*/
SELECT
    {{ class_key }}, {{ target.id }} AS level_code,
{% for file in files %}
    COUNT(CASE WHEN file = {{ file.number }} THEN 1 END) AS {{ file.count }}{{ "," if not loop.last }}
{% endfor %}
FROM {{ records }}
WHERE file IN ({% for file in files %}{{ file.number }}{{ ", " if not loop.last }}{% endfor %}){{ " AND " ~ turn.takes() if turn.takes() }}
GROUP BY {{ class_key }}, {{ target.id }}
