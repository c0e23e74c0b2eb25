/*---
grain = "one row per cell: a class and one level of the target, with the counts of the cell and of its class in every file"
reads = "members"
---*/
-- A class of one record is its own cell and needs no grouping; in personal data that is most classes.
{% set class_counts %}{% for file in files %}{{ ", " if not loop.first }}{{ file.count_class }}{% endfor %}{% endset %}
{% set class_size %}{% for file in files %}{{ " + " if not loop.first }}{{ file.count_class }}{% endfor %}{% endset %}
SELECT
    {{ class_key }}, {{ target.id }} AS level_code, {{ class_counts }},
{% for file in files %}
    COUNT(CASE WHEN file = {{ file.number }} THEN 1 END) AS {{ file.count }}{{ "," if not loop.last }}
{% endfor %}
FROM {{ members }}
WHERE {{ class_size }} > 1
GROUP BY {{ class_key }}, {{ target.id }}, {{ class_counts }}
UNION ALL
SELECT
    {{ class_key }}, {{ target.id }} AS level_code, {{ class_counts }},
{% for file in files %}
    {{ file.count_class }} AS {{ file.count }}{{ "," if not loop.last }}
{% endfor %}
FROM {{ members }}
WHERE {{ class_size }} = 1
