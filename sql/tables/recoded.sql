/*---
grain = "one row per record of a file, in its order, with all columns; recoded ones hold readable levels"
reads = "the file, levels, labels"
---*/
{% from "macros/select.sql" import column_list %}
-- Inside the query the user's columns get other names, so that none collides with record.
SELECT
{% call column_list() %}
{% for column in columns %}
    {{ column.shown }} AS {{ column.name }},
{% endfor %}
{% endcall %}
FROM (
    SELECT
{% call column_list() %}
        {{ record }} AS record,
{% for column in columns %}
        {{ column.value }} AS {{ column.place }},
{% endfor %}
{% endcall %}
    FROM {{ relation }}
) AS source
{% for column in recoded %}
LEFT JOIN (
    SELECT levels.value AS value, labels.level AS level
    FROM {{ column.levels }} AS levels
    JOIN (
        {{ column.labels | indent(8) }}
    ) AS labels ON levels.code = labels.code
) AS {{ column.levels }} ON source.{{ column.place }} = {{ column.levels }}.value
{% endfor %}
ORDER BY source.record
