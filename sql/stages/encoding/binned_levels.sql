/*---
grain = """\
one row per value of one binned column, with its code: the number of its bin from low to high; 0 is the missing level"""
reads = "values, aged, banded, equally_banded; breaks"
---*/
{% from "macros/counts.sql" import counts_of %}
{% from "macros/numbers.sql" import running %}
{% from "macros/select.sql" import column_list, each_of %}
-- All values of a bin share a code. The bin of a value is the number of breaks at or below it: a running count, without
-- a join on a range. A value below the first break, possible in control, falls into the first bin. Special values keep
-- their own levels, after the bins.
SELECT
{% call column_list() %}
    coded.value AS value,
    CASE
{% for special in column.special %}
        WHEN coded.value = {{ special }} THEN bins + {{ loop.index }}
{% endfor %}
        WHEN coded.x IS NULL THEN 0
        {# unchanged by [< → <=], < [1 → 2]: the result is 1 in both cases #}
        WHEN coded.breaks_upto < 1 THEN 1
        ELSE coded.breaks_upto
    END AS code,
    breaks.low AS low,
    breaks.high AS high,
    breaks.closed AS closed,
    {{ each_of(files, "coded.{0.count} AS {0.count}") }}
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
            {# unchanged by [0 → 1]: the rows of breaks are dropped at the end #}
            0 AS {{ file.count }},
{% endfor %}
{% endcall %}
        FROM {{ breaks }}
    ) AS merged
) AS coded
LEFT JOIN {{ breaks }} AS breaks
    ON breaks.bin = CASE
        WHEN coded.x IS NULL{% for special in column.special %} OR coded.value = {{ special }}{% endfor %} THEN 0
        {# unchanged by [< → <=], < [1 → 2]: the result is 1 in both cases #}
        WHEN coded.breaks_upto < 1 THEN 1
        ELSE coded.breaks_upto
    END
{# unchanged by [= → >=]: a flag is 0 or 1 #}
WHERE coded.is_value = 1
