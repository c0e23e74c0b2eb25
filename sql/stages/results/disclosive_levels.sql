/*---
grain = "one row per target, comparison, population, pass and level, with the people of this level that DiSCO counts"
reads = "compared_cells"
---*/
{% from "macros/together.sql" import place, by_place with context %}
SELECT
    {{ place() }}, level_code,
    {# unchanged by [counted_orig → people]: a cell is counted completely or not at all #}
    CAST(SUM(counted_orig) AS BIGINT) AS n_disclosed
FROM (
    {{ compared | indent(4) }}
) AS cells
{# unchanged by [counted_orig → people], [> → >=]: this adds only levels with nobody disclosed, which no check flags #}
WHERE ({{ disco }}) AND counted_orig > 0{% if not everybody %} AND population <> 0{% endif %}{{ "" }}
GROUP BY level_code{{ by_place(", ") }}
