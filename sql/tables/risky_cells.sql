/*---
grain = """\
one row per risky cell (or class) of one comparison, with the rarest levels or the most people first and the missing \
level last"""
reads = "compared_cells, compared_classes or rare_classes; marginals if rare levels come first"
---*/
{% from "macros/riskiest.sql" import missing_last, riskiest with context %}
{% from "macros/together.sql" import place with context %}
SELECT {{ place() }}, {{ columns | join(", ") }}
FROM (
    {{ compared | indent(4) }}
) AS {{ stage }}
{% if marginals %}
-- Cells worth showing come first: those of levels that few people have, because a guess would miss them. Within a
-- level, cells with most people come first.
JOIN (
    SELECT level_code AS level_known, {{ original.count }} AS n_level, {{ original.count_all }} AS n_all
    FROM {{ marginals }}
) AS known ON level_code = level_known
{% endif %}
WHERE ({{ risky }}) AND {{ counted }} > 0
ORDER BY
    {% if marginals or "level_code" in columns %}
    {{ missing_last() }}, -- a missing level reveals nothing
    {% endif %}
    {{ riskiest(counted, columns) }}
LIMIT {{ limit }}
