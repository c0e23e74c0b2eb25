/*---
grain = "one row per value of one column: the values of a group have its name"
reads = "uncoded"
---*/
{% from "macros/counts.sql" import counts_of %}
SELECT
    value,
    CASE
{% for name, levels in recode.groups %}
        WHEN value IN ({{ levels | join(", ") }}) THEN {{ name | literal }}
{% endfor %}
{% if not recode.all_grouped %}
        ELSE label
{% endif %}
    END AS label,
    low, high, {{ counts_of(files) }}
FROM {{ values }} AS uncoded
