/*---
grain = "one row per file of people, population and class (or cell of one target; or class and choice of syntheses that hold a person's own record): how many of its people are there, and their weight"
reads = "members or candidates, special"
---*/
-- A cell counts all records: that is what the intruder sees. A crowd is who is counted. Population 0 is everybody, here for their
-- weight; a column's levels are populations of their own, numbered on from the first.
{% for population in populations %}
{% set outer_last = loop.last %}
{% for file in files %}
SELECT
    {{ file.number }} AS people_file, {% if population.kind == "level" %}{{ population.number }} + members.{{ population.flag }}{% else %}{{ population.number }}{% endif %} AS population,
    {%+ for limb in limbs %}members.{{ limb.name }} AS {{ limb.name }}, {% endfor %}{% if target %}members.{{ target.id }} AS level_code, {% endif %}{% for column in held %}members.{{ column }} AS {{ column }}, {% endfor %}{{ "" }}
    COUNT(*) AS n_people{% if weights %}, SUM(members.weight) AS weight_people{% endif %}{{ "" }}
FROM {{ members }} AS members
{% if population.kind == "special" %}
JOIN special_{{ file.number }} AS special ON {% for limb in limbs %}{{ " AND " if not loop.first }}members.{{ limb.name }} = special.{{ limb.name }}{% endfor %}{{ "" }}
{% endif %}
WHERE {{ "members.person = 1" if held else "members.file = " ~ file.number }}{% if population.kind == "uniques" %} AND members.{{ file.count_class }} = 1{% elif population.kind == "condition" %} AND members.{{ population.flag }} = 1{% endif %}{{ "" }}
GROUP BY {% for limb in limbs %}{{ ", " if not loop.first }}members.{{ limb.name }}{% endfor %}{% if target %}, members.{{ target.id }}{% endif %}{% for column in held %}, members.{{ column }}{% endfor %}{% if population.kind == "level" %}, members.{{ population.flag }}{% endif %}{{ "" }}
{% if not (loop.last and outer_last) %}
UNION ALL
{% endif %}
{% endfor %}
{% endfor %}
