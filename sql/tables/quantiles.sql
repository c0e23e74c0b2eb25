/*---
grain = "one row per numeric column, file and percentage, with that quantile"
reads = "levels"
source = "type 7 of Hyndman & Fan 1996, the default of R and of numpy: number (n - 1) p + 1, interpolated"
---*/
{% from "macros/numbers.sql" import finite, quotient, running %}
{% from "macros/select.sql" import union_all %}
{% from "macros/utility.sql" import number_in %}
{% set whole = "column_number, file_number" %}
-- Positions are compared as products of integers, without division and rounding. A position between two different
-- numbers is interpolated: it is infinite if one of them is, and undefined between minus infinity and infinity.
WITH cumulated AS (
    SELECT
        {{ whole }}, number, n, CAST({{ running("SUM(n)", by="number", within=whole) }} AS BIGINT) AS upto,
        CAST(SUM(n) OVER (PARTITION BY {{ whole }}) AS BIGINT) - 1 AS last_place
    FROM (
{% call union_all() %}
{% for column in columns %}
{% for file in files %}
        SELECT
            {{ column.number }} AS column_number, {{ file.number }} AS file_number,
            {{ number_in(column, "value") }} AS number, {{ file.count }} AS n
        FROM {{ levels[column.id] }}
        UNION ALL
{% endfor %}
{% endfor %}
{% endcall %}
    ) AS of_files
    WHERE number IS NOT NULL AND n > 0
), places AS (
    SELECT {{ whole }}, number, upto - n AS before, upto, percent, last_place * percent AS place
    FROM cumulated
    CROSS JOIN (
{% call union_all() %}
{% for percent in percents %}
        SELECT {{ percent }} AS percent
        UNION ALL
{% endfor %}
{% endcall %}
    ) AS asked
), neighbours AS (
    SELECT
        {{ whole }}, percent, place,
        MAX(CASE WHEN before * 100 <= place THEN number END) AS number_below,
        MIN(CASE WHEN (upto - 1) * 100 >= place THEN number END) AS number_above
    FROM places
    GROUP BY {{ whole }}, percent, place
)
SELECT
    {{ whole }}, percent,
    CASE
        {# unchanged by [= → >=]: the lower number never exceeds the upper one #}
        WHEN number_below = number_above THEN number_below
        WHEN {{ finite("number_below") }}
            THEN number_below + (number_above - number_below) * {{ quotient("place % 100", "100") }}
        WHEN {{ finite("number_above") }} THEN number_below
    END AS number
FROM neighbours
