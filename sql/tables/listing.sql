/*---
grain = "one row per listed cell (or class), with readable levels"
reads = "risky_cells, labels"
---*/
{% from "macros/riskiest.sql" import missing_last, riskiest with context %}
SELECT
{% for column, labels, code, digit in entries %}
    {{ column }}.value AS {{ column }}_value, {{ column }}.low AS {{ column }}_low,
    {{ column }}.high AS {{ column }}_high, {{ column }}.closed AS {{ column }}_closed,
{% endfor %}
    {{ counts | join(", ") }}
FROM {{ risky_cells }} AS risky_cells
{% for column, labels, code, digit in entries %}
LEFT JOIN (
    {{ labels | indent(4) }}
) AS {{ column }} ON {{ code }} = {{ digit }}
{% endfor %}
{# With `least`, each pass has taken the first cells in this order, whether or not their level is missing. #}
ORDER BY {{ missing_last() ~ ", " if "level_code" in columns and not least }}{{ riskiest(shown, columns) }}
