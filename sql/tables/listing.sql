/*---
grain = "one row per listed cell (or class), with the levels as a person reads them"
reads = "risky_cells, labels"
---*/
SELECT
{% for entry in entries %}
    {{ entry.alias }}.value AS {{ entry.alias }}_value, {{ entry.alias }}.low AS {{ entry.alias }}_low,
    {{ entry.alias }}.high AS {{ entry.alias }}_high, {{ entry.alias }}.closed AS {{ entry.alias }}_closed,
{% endfor %}
    {{ counts | join(", ") }}
FROM {{ risky_cells }} AS risky_cells
{% for entry in entries %}
LEFT JOIN (
    {{ entry.labels | indent(4) }}
) AS {{ entry.alias }} ON {{ entry.code }} = {{ entry.digit }}
{% endfor %}
ORDER BY {{ order | join(", ") }}
LIMIT {{ limit }}
