/*---
grain = """\
one row per cell of a class of several (compared_cells), with the greatest and the least count of its class, and those \
up to its own"""
reads = "compared_cells"
---*/
{% from "macros/numbers.sql" import running %}
SELECT
    {{ class }}, n_orig AS cell_orig, n_syn AS cell_syn, n_orig_class AS class_orig, n_syn_class AS class_syn,
    n_orig_level, n_syn_level, n_syn_all, people AS cell_people, counted_orig AS cell_counted,
    MAX(n_orig) OVER (PARTITION BY {{ class }}) AS top_orig,
    MAX(n_syn) OVER (PARTITION BY {{ class }}) AS top_syn,
    {{ running("SUM(n_orig)", by="n_orig, level_code", within=class) }} AS upto_orig,
    MIN(CASE WHEN n_orig > 0 THEN counted_orig END) OVER (PARTITION BY {{ class }}) AS least_counted
FROM (
    {{ compared | indent(4) }}
) AS compared
WHERE n_orig + n_syn < n_orig_class + n_syn_class AND n_orig + n_syn > 0
