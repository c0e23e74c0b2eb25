/*---
grain = """\
one row per class of whole rows, set of columns left out, and file that lacks the row but has one that is equal in all \
other columns"""
reads = "alike_rows"
---*/
{% from "macros/class_key.sql" import same_kept_key with context %}
{% from "macros/select.sql" import union_all %}
{% call union_all() %}
{% for file in files %}
SELECT {{ class_key }}, {{ file.number }} AS near_file, {{ radius }} AS radius
FROM {{ alike_rows }} AS own
{# unchanged by [= → <=]: no count and no code is below 0 #}
{# unchanged by [= → >=]: the minimum radius is kept, and near_classes.sql finds people whose exact row exists #}
WHERE own.{{ file.count }} = 0 AND EXISTS (
    {# unchanged by [1 → 0], [1 → 2]: only the existence of a row matters #}
    SELECT 1 FROM {{ alike_rows }} AS other
    WHERE {{ same_kept_key("own", "other") }} AND other.{{ file.count }} > 0
)
UNION ALL
{% endfor %}
{% endcall %}
