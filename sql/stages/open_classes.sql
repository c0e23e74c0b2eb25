/*---
grain = "one row per class of people for which no synthetic record has been found yet"
reads = "classes; then open_classes and neighbours of the radius before"
---*/
{% if found %}
SELECT {% for limb in limbs %}open_classes.{{ limb.name }} AS {{ limb.name }}{{ ", " if not loop.last }}{% endfor %}{{ "" }}
FROM {{ open_classes }} AS open_classes
LEFT JOIN (SELECT DISTINCT {{ class_key }}, 1 AS hit FROM {{ found }} WHERE radius = {{ radius }}) AS found
    ON {% for limb in limbs %}{{ " AND " if not loop.first }}open_classes.{{ limb.name }} = found.{{ limb.name }}{% endfor %}{{ "" }}
WHERE COALESCE(found.hit, 0) = 0
{% else %}
SELECT {{ class_key }}
FROM {{ classes }}
WHERE {% for file in people_files %}{{ " + " if not loop.first }}{{ file.count }}{% endfor %} > 0 AND {% for file in comparison.members %}{{ " + " if not loop.first }}{{ file.count }}{% endfor %} = 0
{% endif %}
