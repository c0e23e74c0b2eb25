/*---
grain = """\
one row per cell (a class and one level of the target), with the records of each file in the cell and in its class"""
reads = "cell_counts or merged_counts, classes"
---*/
{% from "macros/class_key.sql" import class_key_of, same_class with context %}
{% from "macros/select.sql" import column_list %}
-- Cells where no members are made: for one target, and where the cells are those of more keys. Only cells meet their
-- classes, so that a class of half of all records is one row of a join.
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
