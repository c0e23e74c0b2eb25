/*---
grain = """\
one row per population and class of one file of people (or cell of one target, or class and set of syntheses that \
hold a person's own record), with the number and the weight of its people"""
reads = "members or candidates, special"
---*/
{% from "macros/class_key.sql" import class_key_of, by_class_key, same_class with context %}
{% from "macros/select.sql" import column_list %}
-- A cell counts all records, because the intruder sees all of them. This table has the people whom a measure counts.
-- Population 0 is everybody, and is made here for their weight. The levels of a column may each be a population, with
-- consecutive numbers.
SELECT
{% call column_list() %}
    {{ people_file.number }} AS people_file, {{ population }} AS population, {{ class_key_of("members") }},
{% for name, column in by.items() %}
    members.{{ column }} AS {{ name }},
{% endfor %}
    COUNT(*) AS n_people,
{% if weights %}
    SUM(members.weight) AS weight_people,
{% endif %}
{% endcall %}
FROM {{ members }} AS members
{% if special %}
JOIN {{ special }} AS special ON {{ same_class("members", "special") }}
{% endif %}
WHERE {{ conditions | join(" AND ") }}
GROUP BY
{% call column_list() %}
    {{ by_class_key("members") }},
{% for column in grouped %}
    members.{{ column }},
{% endfor %}
{% endcall %}
