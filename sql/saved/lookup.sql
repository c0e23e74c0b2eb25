/*---
grain = "one row per target, synthesis and level: the synthetic records with the keys that an intruder knows"
reads = "cells, labels"
---*/
{% for part in parts %}
SELECT {{ part.position }} AS position, {{ part.comparison }} AS comparison, label_target.level AS level, CAST(SUM({{ part.count }}) AS BIGINT) AS records
FROM {{ part.cells }} AS cells
JOIN {{ part.labels }} AS label_target ON cells.level_code = label_target.code
{% for key in keys %}
JOIN (SELECT DISTINCT code FROM {{ key.levels }} AS levels WHERE {{ key.match }}) AS known_{{ loop.index }} ON {{ key.digit }} = {{ key.code }}
{% endfor %}
GROUP BY label_target.level
HAVING SUM({{ part.count }}) > 0
{% if not loop.last %}
UNION ALL
{% endif %}
{% endfor %}
