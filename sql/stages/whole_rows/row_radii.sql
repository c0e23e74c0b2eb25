/*---
grain = """\
one row per class of whole rows to which some file has a near row, with the number of columns in which the nearest row \
of each file differs"""
reads = "near_hits"
---*/
{% from "macros/select.sql" import column_list %}
SELECT
{% call column_list() %}
    {{ class_key }},
{% for file in files %}
    MIN(CASE WHEN near_file = {{ file.number }} THEN radius END) AS least_{{ file.number }},
{% endfor %}
{% endcall %}
FROM {{ near_hits }} AS hits
GROUP BY {{ class_key }}
