/*---
grain = "one row per value of one column, with the name of its group as its level"
reads = "uncoded"
---*/
{% from "macros/counts.sql" import counts_of %}
SELECT
    value, {{ "group_name" if recode.all_grouped else "COALESCE(group_name, name)" }} AS label, low, high,
    {{ counts_of(files) }}
FROM (
    SELECT
        value, label AS name, low, high, {{ counts_of(files) }},
        CASE
{% for name, levels in recode.groups %}
            WHEN value IN ({{ levels | join(", ") }}) THEN {{ name | literal }}
{% endfor %}
        END AS group_name
    FROM {{ values }} AS uncoded
) AS grouped
