/*---
grain = """\
one row per synthesis (0: the other files) and column whose numbers a SAS file stores in fewer bytes than another \
file, with the number of bytes"""
reads = "the files"
---*/
{% from "macros/select.sql" import union_all %}
{% call union_all() %}
{% for entry in entries %}
SELECT {{ entry.comparison }} AS comparison, {{ entry.position }} AS position, {{ entry.bytes }} AS bytes
UNION ALL
{% endfor %}
{% endcall %}
