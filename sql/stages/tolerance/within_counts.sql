/*---
grain = """\
one row per cell of people that shares its class with other cells, with the records of each file in the class within \
the tolerance of its level"""
reads = "cells, tolerance_intervals"
---*/
{% from "macros/class_key.sql" import class_key_of with context %}
{% from "macros/counts.sql" import records_of %}
{% from "macros/tolerance.sql" import between_ends, records_at with context %}
-- A cell without a row here (of a special or missing level, or the only one of its class) has only its own records
-- within the tolerance.
{# unchanged by [> → >=]: the only cell of a class has records #}
{% set several %}{{ records_of(files, "cells", "_class") }} > {{ records_of(files, "cells") }}{% endset %}
{# unchanged by [> → >=]: no query reads cells without people #}
{% set of_people %} AND {{ records_of(files | selectattr("of_people"), "cells") }} > 0{% endset %}
{% call(turn, code) between_ends(class_key ~ ", level_code", apart=class_key, found="within") %}
SELECT
    {{ class_key_of("cells") }}, cells.level_code AS level_code, near.{{ code }} AS code, {{ turn }} AS turn,
    {{ records_at(turn, "cells") }}
FROM {{ cells }} AS cells
JOIN {{ tolerance_intervals }} AS near ON cells.level_code = near.level_code
WHERE near.number IS NOT NULL AND {{ several }}{{ of_people if turn }}
{% endcall %}
