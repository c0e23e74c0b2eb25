/*---
grain = "one row per population and DiSCO cell with more people than the two-way threshold"
reads = "compared_cells"
---*/
{% from "macros/together.sql" import place with context %}
SELECT
    {{ place() }}, {{ class_key }}, level_code, n_orig_level AS n_level, counted_orig
FROM (
    {{ compared | indent(4) }}
) AS cells
WHERE ({{ disco }}) AND counted_orig > 0 AND n_orig > {{ two_way[0] }}
{%- if not everybody %} AND population <> 0{% endif %}
