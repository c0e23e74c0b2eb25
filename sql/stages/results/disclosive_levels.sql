/*---
grain = """\
one row per target, comparison, population, level and pass: the people of that level that are disclosed (DiSCO)"""
reads = "compared_cells"
---*/
SELECT
    {{ target_number }} AS target, {{ comparison.number }} AS comparison,
    {{ "population" if population_counts else "0 AS population" }}, level_code,
    {# unchanged by [counted_orig → people]: a cell is counted whole or not at all #}
    CAST(SUM(counted_orig) AS BIGINT) AS n_disclosed
FROM (
    {{ compared | indent(4) }}
) AS cells
{# unchanged by [counted_orig → people], [> → >=]: it adds levels with nobody disclosed, and no threshold is below 0 #}
WHERE ({{ disco }}) AND counted_orig > 0
GROUP BY level_code{{ ", population" if population_counts }}
