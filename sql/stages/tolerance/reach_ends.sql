/*---
grain = """\
one row per level of a numeric target that has a number, with the last levels below and within its tolerance, for \
ends rounded outward and inward"""
reads = "numbers"
---*/
{% from "macros/numbers.sql" import running %}
{% from "macros/tolerance.sql" import numbered with context %}
SELECT
    {# unchanged by [MAX → MIN]: all rows of a group have one value #}
    own_code AS level_code, MAX(own_number) AS number, MAX(own_reach) AS reach,
    {# unchanged by [MAX → MIN] in the next 4 lines: each end has one row #}
    {# unchanged by [= → <=]: ends are numbered from 1 #}
    MAX(CASE WHEN place = 1 THEN code_upto END) AS far_below,
    {# unchanged by [= → <>], [= → >=]: more levels are examined, and each one is tested exactly #}
    {# unchanged by [= → <=]: a later end never has a lower code #}
    MAX(CASE WHEN place = 2 THEN code_upto END) AS near_below,
    {# unchanged by [= → <=]: if a lower end comes later, the levels up to that end are examined #}
    MAX(CASE WHEN place = 4 THEN code_upto END) AS upto_near,
    {# unchanged by [= → <=]: a later end never has a lower code #}
    {# unchanged by [= → >=]: 5 is the last end #}
    MAX(CASE WHEN place = 5 THEN code_upto END) AS upto_far
FROM (
    SELECT
        own_code, own_number, own_reach, place,
        COALESCE({{ running("MAX(code)", by="x, place") }}, 0) AS code_upto
    FROM (
        SELECT
            {# unchanged by [3 → 4]: a level is within its own tolerance #}
            number AS x, 3 AS place, level_code AS code, level_code AS own_code, number AS own_number,
            reach AS own_reach
        {{ numbered() }}
{% for place, sign, slack in [(1, "-", "-"), (2, "-", "+"), (4, "+", "-"), (5, "+", "+")] %}
        UNION ALL
        SELECT
            {# unchanged by [< → <=]: 0 is its own negative #}
            (number {{ sign }} reach) {{ slack }} (CASE WHEN number < 0 THEN -number ELSE number END + reach)
                {# unchanged by [* → /]: more levels are examined, and each one is tested exactly #}
                * CAST('1e-15' AS DOUBLE) AS x,
            {{ place }} AS place, CAST(NULL AS INTEGER) AS code, level_code AS own_code,
            number AS own_number, reach AS own_reach
        {{ numbered() }}
{% endfor %}
    ) AS merged
) AS counted
WHERE place <> 3
GROUP BY own_code
