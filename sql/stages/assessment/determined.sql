/*---
grain = "one row per key, with a flag for each target: do people with the same level of the key differ in it?"
reads = "records, some_people"
---*/
{% from "macros/select.sql" import column_list, union_all %}
{% call union_all() %}
{% for part in parts %}
SELECT
{% call column_list() %}
    {{ part.column.number }} AS key_number, COUNT(*) AS levels, CAST(SUM(people) AS BIGINT) AS people,
{% for target in targets %}
    MAX(CASE WHEN least_{{ target.id }} < most_{{ target.id }} THEN 1 ELSE 0 END) AS several_{{ target.id }},
    CASE WHEN MIN(least_{{ target.id }}) < MAX(most_{{ target.id }}) THEN 1 ELSE 0 END AS varies_{{ target.id }},
{% endfor %}
{% endcall %}
FROM (
    SELECT
{% call column_list() %}
        {{ part.digit }} AS digit, COUNT(*) AS people,
{% for target in targets %}
        MIN({{ target.id }}) AS least_{{ target.id }}, MAX({{ target.id }}) AS most_{{ target.id }},
{% endfor %}
{% endcall %}
    {# unchanged by [people → counted_orig]: the columns are used without a table name #}
    FROM {{ records }} AS people
    {# unchanged by [= → <=]: the original is file 0, the lowest number #}
    WHERE file = 0
    GROUP BY {{ part.digit }}
) AS of_levels
UNION ALL
{% endfor %}
{% endcall %}
