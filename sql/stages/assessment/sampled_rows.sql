/*---
grain = "one row per record of a file that is in one of the samples"
reads = "dealt_rows"
---*/
{% from "macros/counts.sql" import counts_of %}
{% from "macros/rows.sql" import in_sample %}
{% from "macros/select.sql" import column_list, joined_by %}
SELECT
{% call column_list() %}
{% for column in columns %}
    {{ column.id }},
{% endfor %}
    {{ counts_of(files) }},
{% for hand in hands %}
    hand_{{ loop.index0 }},
{% endfor %}
{% endcall %}
FROM {{ rows }} AS shared
WHERE
{% call joined_by(" OR") %}
{% for sample in samples %}
    {{ in_sample(sample) }} OR
{% endfor %}
{% endcall %}
