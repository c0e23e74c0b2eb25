/*---
grain = "one row per cell: a class and one level of the target, with the records of every file"
reads = "records"
---*/
SELECT
    {{ class_key }}, {{ target.id }} AS level_code,
{% for file in files %}
    COUNT(CASE WHEN file = {{ file.number }} THEN 1 END) AS {{ file.count }}{{ "," if not loop.last }}
{% endfor %}
FROM {{ records }}
{% if turn.takes() %}
WHERE {{ turn.takes() }}
{% endif %}
GROUP BY {{ class_key }}, {{ target.id }}
