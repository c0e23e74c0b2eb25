/*---
grain = """\
one row per cell of a class of people that has synthetic records (its own, or within its tolerance), with these as the \
nearest records"""
reads = "cells or reached_cells"
---*/
{% from "macros/class_key.sql" import class_key_of with context %}
{% from "macros/counts.sql" import records_of %}
{% from "macros/select.sql" import column_list %}
SELECT
{% call column_list() %}
    {{ class_key_of("cells") }}, cells.level_code AS level_code,
{% for file in people_files %}
    cells.{{ file.count }} AS {{ file.count }}, cells.{{ file.count_class }} AS {{ file.count_class }},
{% endfor %}
    {{ records_of(synthetic, "cells") }} AS n_near,
    {{ records_of(synthetic, "cells", "_class") }} AS n_near_class,
    {{ records_of(comparison.members, "cells") }} AS n_same,
    0 AS radius,
{% endcall %}
FROM {{ found_cells }} AS cells
WHERE {{ records_of(synthetic, "cells", "_class") }} > 0
    {# unchanged by [> → >=]: a class without people has nobody to count #}
    AND {{ records_of(people_files, "cells", "_class") }} > 0
