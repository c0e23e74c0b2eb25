/*---
grain = """\
one row per key, with its levels and people, and for each target whether people with one level of the key differ in \
it (several), and whether any people do (varies)"""
reads = "records, some_people"
---*/
{% from "macros/select.sql" import column_list, union_all %}
SELECT
{% call column_list() %}
    key_number, COUNT(*) AS levels, CAST(SUM(people) AS BIGINT) AS people,
{% for target in targets %}
    MAX(CASE WHEN least_{{ target.id }} < most_{{ target.id }} THEN 1 ELSE 0 END) AS several_{{ target.id }},
    CASE WHEN MIN(least_{{ target.id }}) < MAX(most_{{ target.id }}) THEN 1 ELSE 0 END AS varies_{{ target.id }},
{% endfor %}
{% endcall %}
FROM (
    SELECT
{% call column_list() %}
        key_number, COUNT(*) AS people,
{% for target in targets %}
        MIN({{ target.id }}) AS least_{{ target.id }}, MAX({{ target.id }}) AS most_{{ target.id }},
{% endfor %}
{% endcall %}
    FROM (
{% call union_all() %}
{% for part in parts %}
        SELECT
            {{ part.column.number }} AS key_number, {{ part.digit }} AS digit,
            {{ targets | map(attribute="id") | join(", ") }}
        {# unchanged by [people → counted_orig]: the columns are used without a table name #}
        FROM {{ records }} AS people
        {# unchanged by [= → <=]: the original is file 0, the lowest number #}
        WHERE file = 0
        UNION ALL
{% endfor %}
{% endcall %}
    ) AS keys_of_people
    GROUP BY key_number, digit
) AS of_levels
GROUP BY key_number
