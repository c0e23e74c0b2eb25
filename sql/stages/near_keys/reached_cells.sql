/*---
grain = """\
one row per cell with people of one target, with the records of each file in the cell, in its class and within the \
tolerance of the near key"""
reads = "cells, reached_counts, reached_classes"
---*/
{% from "macros/class_key.sql" import class_key_of, same_class, same_cell with context %}
{% from "macros/counts.sql" import records_of %}
{% from "macros/numbers.sql" import share %}
{% from "macros/select.sql" import column_list %}
SELECT
{% call column_list() %}
    {{ class_key_of("cells") }}, cells.level_code AS level_code,
{% for file in files %}
    cells.{{ file.count }} AS {{ file.count }}, cells.{{ file.count_class }} AS {{ file.count_class }},
    COALESCE(reached.found_{{ file.count }}, cells.{{ file.count }}) AS reached_{{ file.count }},
    of_class.reached_{{ file.count_class }} AS reached_{{ file.count_class }},
{% endfor %}
    {{ share("COALESCE(reached.found_n_orig, cells.n_orig)", "of_class.reached_n_orig_class") }} AS share_orig_reached,
{% endcall %}
FROM {{ cells }} AS cells
JOIN {{ reached_classes }} AS of_class ON {{ same_class("cells", "of_class") }}
LEFT JOIN (
    {{ reached_counts | indent(4) }}
) AS reached ON {{ same_cell("cells", "reached") }}
{# unchanged by [> → >=]: no query reads cells without people #}
WHERE {{ records_of(people_files, "cells") }} > 0
