/*---
grain = "one row with, for each key, the number of people who agree with one person on all other keys"
reads = "records"
---*/
{% from "macros/select.sql" import column_list %}
-- The number includes the person. If it is large for a key, the person is rare because of this key.
{% set all = "same_" ~ (parts | map(attribute="column") | map(attribute="id") | join(" + same_")) %}
SELECT
{% call column_list() %}
{% for part in parts %}
    COUNT(
        {# unchanged by [= → >=]: the count never exceeds the number of keys #}
        CASE WHEN {{ all }} - same_{{ part.column.id }} = {{ parts | length - 1 }} THEN 1 END
    ) AS n_{{ part.column.id }},
{% endfor %}
{% endcall %}
FROM (
    SELECT
{% call column_list() %}
{% for part in parts %}
        CASE WHEN {{ part.digit }} = {{ digits[part.column.id] }} THEN 1 ELSE 0 END AS same_{{ part.column.id }},
{% endfor %}
{% endcall %}
    FROM {{ records }}
    {# unchanged by [= → <=]: the original is file 0, the lowest number #}
    WHERE file = 0
) AS compared
