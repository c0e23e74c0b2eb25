/*---
grain = """\
one row per value of one column: its code, numbered in the order of its categories, else by sorted value; 0 is the \
missing level"""
reads = "values, aged, banded, equally_banded, breaks, the order that files have for their values"
---*/
{% from "macros/counts.sql" import counts_of %}
{% from "macros/numbers.sql" import running %}
{% from "macros/select.sql" import column_list %}
{% if column.bins %}
-- A bin is a code that several values share. Counting the breaks at or below a value finds its bin without a join over
-- pairs; a value below the first break (control) falls into the first bin. Special values keep a level of their own,
-- after the bins.
SELECT
{% call column_list() %}
    coded.value AS value,
    CASE
{% for special in column.special %}
        WHEN coded.value = {{ special }} THEN bins + {{ loop.index }}
{% endfor %}
        WHEN coded.x IS NULL THEN 0
        {# unchanged by [< → <=], < [1 → 2]: it is 1 either way #}
        WHEN coded.breaks_upto < 1 THEN 1
        ELSE coded.breaks_upto
    END AS code,
    breaks.low AS low,
    breaks.high AS high,
    breaks.closed AS closed,
{% for file in files %}
    coded.{{ file.count }} AS {{ file.count }},
{% endfor %}
{% endcall %}
FROM (
    SELECT
        value, x, is_value, {{ counts_of(files) }},
        CAST({{ running("SUM(1 - is_value)", by="x, is_value") }} AS INTEGER) AS breaks_upto,
        CAST(SUM(1 - is_value) OVER () AS INTEGER) AS bins
    FROM (
        SELECT value, {{ column.binned }} AS x, 1 AS is_value, {{ counts_of(files) }}
        FROM {{ values }}
        UNION ALL
        SELECT
{% call column_list() %}
            CAST(NULL AS {{ column.type }}) AS value, low AS x, 0 AS is_value,
{% for file in files %}
            {# unchanged by [0 → 1]: the rows of breaks are left out in the end #}
            0 AS {{ file.count }},
{% endfor %}
{% endcall %}
        FROM {{ breaks }}
    ) AS merged
) AS coded
LEFT JOIN {{ breaks }} AS breaks
    ON breaks.bin = CASE
        WHEN coded.x IS NULL{% for special in column.special %} OR coded.value = {{ special }}{% endfor %} THEN 0
        {# unchanged by [< → <=], < [1 → 2]: it is 1 either way #}
        WHEN coded.breaks_upto < 1 THEN 1
        ELSE coded.breaks_upto
    END
{# unchanged by [= → >=]: a flag is 0 or 1 #}
WHERE coded.is_value = 1
{% else %}
{% set place = column.place ~ ", " if column.order else "" %}
SELECT
{% call column_list() %}
    value,
    CASE
        WHEN value IS NULL THEN 0
        {# unchanged by [1 → 2]: the code of a missing value is 0, wherever it is sorted #}
        {# unchanged by [1 → 0], [0 → 1]: DuckDB sorts missing values last by itself #}
        ELSE CAST(ROW_NUMBER() OVER (ORDER BY CASE WHEN value IS NULL THEN 1 ELSE 0 END, {{ place }}value) AS INTEGER)
    END AS code,
{% for file in files %}
    {{ file.count }},
{% endfor %}
{% endcall %}
FROM {{ values }} AS counted
{% if column.order %}
LEFT JOIN {{ column.order_table }} AS level_places ON value = CAST(level AS {{ column.type }})
{% endif %}
{% endif %}
