/*---
grain = """\
one row per cell of one target, with the synthetic records of the class within the tolerance of a record in the cell"""
reads = "within_counts"
---*/
{% from "macros/select.sql" import joined_by %}
SELECT
    {{ class_key }}, level_code,
{% call joined_by("+") %}
{% for file in comparison.members %}
    within_{{ file.count }} +
{% endfor %}
{% endcall %} AS n_within_{{ target.id }}
FROM {{ within_counts }}
