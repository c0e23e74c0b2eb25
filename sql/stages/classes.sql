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
{% if passes > 1 %}
WHERE class_key % {{ passes }} = {{ turn }}
{% endif %}
GROUP BY {{ class_key }}
