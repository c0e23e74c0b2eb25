/*---
grain = "one row per set of columns, with the number of people who are unique on them"
reads = "coded_records of the original: one level code per column"
---*/
{% from "macros/select.sql" import union_all %}
{% call union_all() %}
{% for chosen in sets %}
{# unchanged by [= → <=]: a group has a record #}
SELECT {{ loop.index0 }} AS place, COUNT(CASE WHEN n_people = 1 THEN 1 END) AS n_unique
FROM (
    SELECT {{ chosen | map(attribute="id") | join(", ") }}, COUNT(*) AS n_people
    FROM {{ records }}
    GROUP BY {{ chosen | map(attribute="id") | join(", ") }}
) AS classes_{{ loop.index }}
UNION ALL
{% endfor %}
{% endcall %}
