/*---
grain = """\
one row per cell of people that shares its class with other cells: the records of its class within the tolerance \
of its level, in every file"""
reads = "cells, tolerance_intervals"
---*/
{% from "macros/class_key.sql" import class_key_of with context %}
{% from "macros/counts.sql" import records_of %}
{% from "macros/select.sql" import column_list, joined_by %}
-- No join over pairs: the cells of a class are sorted by level, the ends of the intervals merged in among them, and the
-- records so far are read off at each end; their difference is what lies between. So n log n, however large the class.
-- A cell without a row here (a special or missing level, or alone in its class) has its own records within the
-- tolerance and no others.
{# unchanged by [> → >=]: a cell that is alone in its class has its own records #}
{% set several %}{{ records_of(files, "cells", "_class") }} > {{ records_of(files, "cells") }}{% endset %}
{# unchanged by [> → >=]: a cell without people is not asked for #}
{% set of_people %}{{ records_of(files | selectattr("of_people"), "cells") }} > 0{% endset %}
SELECT
{% call column_list() %}
    {{ class_key }}, own_code AS level_code,
{% for file in files %}
    {# unchanged by [= → >=]: 2 is the last turn #}
    CAST(SUM(CASE WHEN turn = 2 THEN upto_{{ file.count }}
        ELSE -upto_{{ file.count }} END) AS BIGINT) AS within_{{ file.count }},
{% endfor %}
{% endcall %}
FROM (
    SELECT
{% call column_list() %}
        {{ class_key }}, own_code, turn,
{% for file in files %}
        SUM(here_{{ file.count }}) OVER (PARTITION BY {{ class_key }} ORDER BY code,
            turn ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS upto_{{ file.count }},
{% endfor %}
{% endcall %}
    FROM (
        SELECT
            {{ class_key_of("cells") }}, cells.level_code AS code, 0 AS turn,
            cells.level_code AS own_code,
            {%+ call joined_by(",") %}{% for file in files %}cells.{{ file.count }} AS here_{{ file.count }},
                {% endfor %}{% endcall +%}
        FROM {{ cells }} AS cells
        JOIN {{ tolerance_intervals }} AS tolerance_intervals ON cells.level_code = tolerance_intervals.level_code
        WHERE tolerance_intervals.number IS NOT NULL AND {{ several }}
{% for turn, end in [(1, "below_code"), (2, "upto_code")] %}
        UNION ALL
        SELECT
            {{ class_key_of("cells") }}, tolerance_intervals.{{ end }} AS code, {{ turn }} AS turn,
            cells.level_code AS own_code,
            {%+ call joined_by(",") %}{% for file in files %}0 AS here_{{ file.count }}, {% endfor %}{% endcall +%}
        FROM {{ cells }} AS cells
        JOIN {{ tolerance_intervals }} AS tolerance_intervals ON cells.level_code = tolerance_intervals.level_code
        WHERE tolerance_intervals.number IS NOT NULL AND {{ several }} AND {{ of_people }}
{% endfor %}
    ) AS merged
) AS counted
WHERE turn > 0
GROUP BY {{ class_key }}, own_code
