/*---
grain = "one row per person, with the scores of special uniques and the other columns of the record"
reads = "record_scores"
---*/
{% from "macros/select.sql" import column_list %}
SELECT
{% call column_list() %}
    scored.record AS own_record,
{% for name in names %}
    scored.{{ name }} AS {{ name }},
{% endfor %}
{% endcall %}
FROM (
    {{ record_scores | indent(4) }}
) AS scored
