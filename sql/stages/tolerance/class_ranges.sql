/*---
grain = """\
one row per class with several levels, at least one of them a number, with the lowest and highest number among its \
people, and among its synthetic records in every comparison"""
reads = "cells, tolerance_intervals"
---*/
{% from "macros/class_key.sql" import class_key_of, by_class_key with context %}
{% from "macros/counts.sql" import records_of %}
{% from "macros/select.sql" import column_list %}
SELECT
{% call column_list() %}
    {{ class_key_of("cells") }},
{% for file in files if file.of_people %}
    MIN(CASE WHEN cells.{{ file.count }} > 0 THEN tolerance_intervals.number END) AS low_{{ file.count }},
    MAX(CASE WHEN cells.{{ file.count }} > 0 THEN tolerance_intervals.number END) AS high_{{ file.count }},
{% endfor %}
{% for comparison in comparisons %}
{% set n_syn %}{{ records_of(comparison.members, "cells") }}{% endset %}
    MIN(CASE WHEN {{ n_syn }} > 0 THEN tolerance_intervals.number END) AS low_{{ comparison.number }},
    MAX(CASE WHEN {{ n_syn }} > 0 THEN tolerance_intervals.number END) AS high_{{ comparison.number }},
{% endfor %}
{% endcall %}
FROM {{ cells }} AS cells
JOIN {{ tolerance_intervals }} AS tolerance_intervals ON cells.level_code = tolerance_intervals.level_code
WHERE tolerance_intervals.number IS NOT NULL
    AND {{ records_of(files, "cells", "_class") }} > {{ records_of(files, "cells") }}
GROUP BY {{ by_class_key("cells") }}
