/*---
grain = """\
one row per pass, table, synthesis and distinct pair of a cell's counts in the original and the synthesis, with the \
number of cells"""
reads = "classes"
---*/
{% from "macros/class_key.sql" import any_missing %}
{% from "macros/select.sql" import union_all %}
-- A cell of a table is a class whose keys are the columns of the table. Cells that only another synthesis has are left
-- out.
SELECT CAST({{ table_number }} AS INTEGER) AS table_number, synthesis, n_orig, n_syn, COUNT(*) AS n_cells
FROM (
{% call union_all() %}
{% for file in syntheses %}
    SELECT CAST({{ file.number }} AS INTEGER) AS synthesis, n_orig, {{ file.count }} AS n_syn
    FROM {{ classes }}
    WHERE n_orig + {{ file.count }} > 0{% if left_out %} AND NOT ({{ any_missing(left_out) }}){% endif +%}
    UNION ALL
{% endfor %}
{% endcall %}
) AS both_files
GROUP BY synthesis, n_orig, n_syn
