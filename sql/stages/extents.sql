/*---
grain = "one row per class that has several numbers: the least and the greatest of its people and of its synthetic records, in every comparison"
reads = "cells, reaches"
---*/
SELECT
    {%+ for limb in limbs %}cells.{{ limb.name }} AS {{ limb.name }}, {% endfor %}{{ "" }}
{% for file in files if file.of_people %}
    MIN(CASE WHEN cells.{{ file.count }} > 0 THEN reaches.number END) AS low_{{ file.count }}, MAX(CASE WHEN cells.{{ file.count }} > 0 THEN reaches.number END) AS high_{{ file.count }},
{% endfor %}
{% for comparison in comparisons %}
{% set n_syn %}{% for file in comparison.members %}cells.{{ file.count }}{{ " + " if not loop.last }}{% endfor %}{% endset %}
    MIN(CASE WHEN {{ n_syn }} > 0 THEN reaches.number END) AS low_{{ comparison.number }}, MAX(CASE WHEN {{ n_syn }} > 0 THEN reaches.number END) AS high_{{ comparison.number }}{{ "," if not loop.last }}
{% endfor %}
FROM {{ cells }} AS cells
JOIN {{ reaches }} AS reaches ON cells.level_code = reaches.level_code
WHERE reaches.number IS NOT NULL AND {% for file in files %}cells.{{ file.count_class }}{{ " + " if not loop.last }}{% endfor %} > {% for file in files %}cells.{{ file.count }}{{ " + " if not loop.last }}{% endfor %}{{ "" }}
GROUP BY {% for limb in limbs %}{{ ", " if not loop.first }}cells.{{ limb.name }}{% endfor %}{{ "" }}
