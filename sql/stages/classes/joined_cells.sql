/*---
grain = """\
one row per cell (a class and one level of the target), with the records of each file in the cell and in its class"""
reads = "cell_counts or merged_counts, classes"
---*/
{% from "macros/class_key.sql" import class_key_of, same_class with context %}
{% from "macros/select.sql" import column_list %}
-- Cells without a table of members: for a single target, and if the cells of more keys are merged. Cells are joined
-- with classes, not records with classes. So a class with half of all records joins only as many rows as it has cells.
SELECT
{% call column_list() %}
    {{ class_key_of("counted") }}, counted.level_code AS level_code,
{% for file in files %}
    classes.{{ file.count }} AS {{ file.count_class }},
{% endfor %}
{% for file in files %}
    counted.{{ file.count }} AS {{ file.count }},
{% endfor %}
{% endcall %}
FROM {{ cell_counts }} AS counted
JOIN {{ classes }} AS classes ON {{ same_class("counted", "classes") }}
