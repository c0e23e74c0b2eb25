/*---
grain = "one row per measure of utility, table and synthesis"
reads = "scored_counts"
---*/
{% from "macros/select.sql" import union_all %}
{% call union_all() %}
{% for measure in measures %}
SELECT {{ measure.name | literal }} AS measure, table_number, synthesis, value
FROM (
    {{ measure.query | indent(4) }}
) AS of_measure_{{ loop.index }}
UNION ALL
{% endfor %}
{% endcall %}
