/*---
grain = "one row per level of one key that people have: how many have it, the least and the greatest of their levels of each target"
reads = "records"
---*/
{% from "macros/select.sql" import column_list %}
SELECT
{% call column_list() %}
    {{ part.digit }} AS digit, COUNT(*) AS people,
{% for target in targets %}
    MIN({{ target.id }}) AS least_{{ target.id }}, MAX({{ target.id }}) AS most_{{ target.id }},
{% endfor %}
{% endcall %}
FROM {{ records }} AS people
WHERE file = 0{{ sampled }}
GROUP BY {{ part.digit }}
