/*---
grain = """\
one row per synthesis (0: the other files, or all files if labels are compared) and column whose codes have different \
labels in two files, or that is compared by label, with 1 if labels are compared instead of codes"""
reads = "the labels of the files"
---*/
{% from "macros/select.sql" import union_all %}
{% call union_all() %}
{% for entry in entries %}
SELECT {{ entry.comparison }} AS comparison, {{ entry.position }} AS position, {{ entry.by_label }} AS by_label
UNION ALL
{% endfor %}
{% endcall %}
