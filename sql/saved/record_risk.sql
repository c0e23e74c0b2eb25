/*---
grain = "one row per synthesis and person: keys and targets as a person reads them, and what someone who knows the keys would find"
reads = "people, record_risk"
---*/
{% for part in parts %}
SELECT {{ part.synthesis }} AS synthesis, people.*, risk.* EXCLUDE (record)
FROM people
JOIN (
    {{ part.risk | indent(4) }}
) AS risk ON people.{{ record }} = risk.record
{% if not loop.last %}
UNION ALL
{% endif %}
{% endfor %}
