/*---
grain = """\
one row per column and synthesis (0: none) with numbers that a SAS file stores in fewer bytes, with the number of \
bytes"""
reads = "the files"
---*/
{% from "macros/select.sql" import union_all %}
{% call union_all() %}
{% for entry in entries %}
SELECT {{ entry.comparison }} AS comparison, {{ entry.position }} AS position, {{ entry.bytes }} AS bytes
UNION ALL
{% endfor %}
{% endcall %}
