/*---
grain = """\
one row per class or cell that a measure over a stage reads: its people, and the value of one person in every \
mean"""
reads = "compared_classes, patterns or within"
---*/
{% from "macros/select.sql" import column_list %}
SELECT
{% call column_list() %}
{% if crowd %}
    population,
{% endif %}
{% for tally in tallies %}
    {{ tally.among }} AS people{{ of }}_{{ loop.index }}, {{ tally.counted }} AS counted{{ of }}_{{ loop.index }},
    {{ tally.each }} AS each_{{ loop.index }},
{% endfor %}
{% endcall %}
FROM (
    {{ compared | indent(4) }}
) AS {{ stage }}
