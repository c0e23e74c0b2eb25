/*---
grain = "one row per column and synthesis (0: none) whose codes have different labels, and a flag: labels are compared"
reads = "the labels of the files"
---*/
{% from "macros/select.sql" import union_all %}
{% call union_all() %}
{% for entry in entries %}
SELECT {{ entry.comparison }} AS comparison, {{ entry.position }} AS position, {{ entry.by_label }} AS by_label
UNION ALL
{% endfor %}
{% endcall %}
