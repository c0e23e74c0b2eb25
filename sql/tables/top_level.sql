/*---
grain = """\
one row with the most frequent level of the synthetic records with one person's keys (the first if several tie), its \
records, and the number of levels that tie (0 without records)"""
reads = "compared_cells"
---*/
{% from "macros/select.sql" import joined_by %}
{# unchanged by [MIN → MAX](n_syn): all rows of a group have one value #}
SELECT MIN(level_code) AS top_level, MIN(n_syn) AS top_records, COUNT(*) AS tied
FROM (
    SELECT level_code, n_syn, MAX(n_syn) OVER () AS most_syn
    FROM (
        {{ compared | indent(8) }}
    ) AS compared
    WHERE {% call joined_by("AND") %}{% for key_column in key_columns %}{{ key_column.name }} =
        {{ codes[key_column.name] }} AND {% endfor %}{% endcall +%}
) AS cells_of_class
{# unchanged by [= → >=]: no value exceeds the maximum #}
WHERE n_syn = most_syn AND n_syn > 0
