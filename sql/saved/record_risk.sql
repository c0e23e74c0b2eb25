/*---
grain = """\
one row per synthesis and person: keys and targets as a person reads them, and what someone who knows the keys \
would find"""
reads = "people, record_risk"
---*/
{% from "macros/select.sql" import union_all %}
{% call union_all() %}
{% for comparison, risk in parts %}
SELECT {{ comparison.label | literal }} AS synthesis, people.*, risk.* EXCLUDE (record)
FROM people
JOIN (
    {{ risk | indent(4) }}
) AS risk ON people.{{ record }} = risk.record
UNION ALL
{% endfor %}
{% endcall %}
