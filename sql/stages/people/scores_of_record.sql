/*---
grain = "one row per person, with the SUDA score, DIS-SUDA, and each key's share of the score"
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
