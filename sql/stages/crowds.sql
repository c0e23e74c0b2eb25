/*---
grain = """\
one row per file of people, population and class (or cell of one target; or class and choice of syntheses that \
hold a person's own record): how many of its people are there, and their weight"""
reads = "members or candidates, special"
---*/
{% from "macros/class_key.sql" import class_key_of, by_class_key, same_class with context %}
{% from "macros/select.sql" import union_all %}
-- A cell counts all records: that is what the intruder sees. A crowd is who is counted. Population 0 is everybody, here
-- for their weight; a column's levels are populations of their own, numbered on from the first.
{% call union_all() %}
{% for population in populations %}
{% for file in files %}
SELECT
    {{ file.number }} AS people_file,
    {% if population.kind == "level" %}{{ population.number }} + members.{{ population.flag }}{% else %}{{ population.number }}{% endif %} AS population,
    {{ class_key_of("members") }},
    {% if target %}members.{{ target.id }} AS level_code, {% endif %}{% for column in held %}members.{{ column }} AS {{ column }}, {% endfor %}{{ "" }}
    COUNT(*) AS n_people{% if weights %}, SUM(members.weight) AS weight_people{% endif %}{{ "" }}
FROM {{ members }} AS members
{% if population.kind == "special" %}
JOIN special_{{ file.number }} AS special ON {{ same_class("members", "special") }}
{% endif %}
WHERE {{ "members.person = 1" if held else "members.file = " ~ file.number }}{% if population.kind == "uniques" %}
    AND members.{{ file.count_class }} = 1{% elif population.kind == "condition" %}
    AND members.{{ population.flag }} = 1{% endif %}{{ "" }}
GROUP BY {{ by_class_key("members") }}{% if target %}, members.{{ target.id }}{% endif %}{% for column in held %},
    members.{{ column }}{% endfor %}{% if population.kind == "level" %},
    members.{{ population.flag }}{% endif %}{{ "" }}
UNION ALL
{% endfor %}
{% endfor %}
{% endcall %}
