/*---
grain = """\
one row per reason that was found, synthesis (0: none), target (0: none) and subject (a column, a change or a file), \
with its amount"""
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
