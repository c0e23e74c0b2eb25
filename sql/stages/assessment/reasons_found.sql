/*---
grain = "one row per reason found, by synthesis (0: none), target (0: none) and subject (a column or a change)"
reads = "the reasons"
---*/
{% from "macros/select.sql" import union_all %}
{% call union_all() %}
{% for reason, query in reasons.items() %}
SELECT '{{ reason }}' AS reason, comparison, target, subject, amount
FROM (
    {{ query | indent(4) }}
) AS found_{{ loop.index }}
UNION ALL
{% endfor %}
{% endcall %}
