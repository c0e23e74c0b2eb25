/*---
grain = """\
one row per reason, synthesis (0: none) and column or file with texts that look the same, with the number of their \
records"""
reads = "what Python finds in the levels and names of columns"
---*/
{% from "macros/select.sql" import union_all %}
{% call union_all() %}
{% for entry in entries %}
SELECT
    '{{ entry.what }}' AS what, {{ entry.comparison }} AS comparison, {{ entry.target }} AS target,
    {{ entry.subject }} AS subject, {{ entry.records }} AS records
UNION ALL
{% endfor %}
{% endcall %}
