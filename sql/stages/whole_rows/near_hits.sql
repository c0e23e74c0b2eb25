/*---
grain = """\
one row per class of whole rows, file that lacks it and set of columns left out, where that file has a row that is the \
same in all others"""
reads = "alike_rows"
---*/
{% from "macros/class_key.sql" import kept_key with context %}
{% from "macros/select.sql" import union_all %}
{% call union_all() %}
{% for file in files %}
SELECT {{ class_key }}, {{ file.number }} AS near_file, {{ radius }} AS radius
FROM {{ alike_rows }}
{# unchanged by [= → <=]: no count and no code is below 0 #}
{# unchanged by [= → >=]: the least radius stays, and near_classes.sql knows who has the row itself #}
WHERE {{ file.count }} = 0 AND ({{ kept_key() }}) IN (
    SELECT {{ kept_key() }} FROM {{ alike_rows }} WHERE {{ file.count }} > 0
)
UNION ALL
{% endfor %}
{% endcall %}
