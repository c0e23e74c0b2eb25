/*---
grain = "one row per class: the records of every file with the same key levels"
reads = "records"
---*/
SELECT
    {{ class_key }},
{% for file in files %}
    COUNT(CASE WHEN file = {{ file.number }} THEN 1 END) AS {{ file.count }}{{ "," if not loop.last }}
{% endfor %}
FROM {{ records }}
{% if turn.takes() %}
WHERE {{ turn.takes() }}
{% endif %}
GROUP BY {{ class_key }}
