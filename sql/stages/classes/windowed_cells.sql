/*---
grain = """\
one row per cell (a class and one level of the target), with the records of each file in the cell and in its class; \
least_level is 1 in one cell of each class"""
reads = "cell_counts"
---*/
{% from "macros/select.sql" import column_list %}
-- For databases that write records slowly or move them between machines, and in DuckDB for few records or classes.
-- Records are read once per target, and no class is looked up. If cells are counted by sorting, they are already in the
-- order that the window needs.
{% set of_class %}OVER (PARTITION BY {{ class_key }}){% endset %}
SELECT
{% call column_list() %}
    {{ class_key }}, level_code,
    {# unchanged by [= → <=]: no value is beyond the minimum or maximum #}
    CASE WHEN level_code = MIN(level_code) {{ of_class }} THEN 1 ELSE 0 END AS least_level,
{% for file in files %}
    CAST(SUM({{ file.count }}) {{ of_class }} AS BIGINT) AS {{ file.count_class }},
{% endfor %}
{% for file in files %}
    {{ file.count }},
{% endfor %}
{% endcall %}
FROM {{ cell_counts }} AS counted
