/*---
grain = "one row per target, synthesis and level: the synthetic records with the keys that an intruder knows"
reads = "the synthetic files"
---*/
{% for part in parts %}
SELECT {{ part.position }} AS position, {{ part.comparison }} AS comparison, CAST(found_level AS VARCHAR) AS level, COUNT(*) AS records
FROM (SELECT {{ part.value }} AS found_level FROM {{ part.relation }} WHERE {{ part.match }}) AS found_{{ part.position }}_{{ part.comparison }}
GROUP BY found_level
{% if not loop.last %}
UNION ALL
{% endif %}
{% endfor %}
