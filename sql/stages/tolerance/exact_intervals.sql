/*---
grain = """\
one row per level of a numeric target, with the range of codes of the levels within its tolerance, and the original's \
records there"""
reads = "numbers"
---*/
{% from "macros/numbers.sql" import running %}
{% from "macros/tolerance.sql" import numbered, reaches_between with context %}
-- For whole numbers and decimals, which are added exactly. A single sort merges the ends of all intervals with the
-- values, and the greatest code so far is read at each end. The levels within the tolerance have
-- below_code < code <= upto_code. The ends belong to the interval.
WITH merged AS (
    SELECT number AS x, 1 AS turn, level_code AS code, level_code AS own_code
    {{ numbered() }}
    UNION ALL
    SELECT number - reach AS x, 0 AS turn, CAST(NULL AS INTEGER) AS code, level_code AS own_code
    {{ numbered() }}
    UNION ALL
    SELECT number + reach AS x, 2 AS turn, CAST(NULL AS INTEGER) AS code, level_code AS own_code
    {{ numbered() }}
), codes AS (
    SELECT own_code, turn, COALESCE({{ running("MAX(code)", by="x, turn") }}, 0) AS code_upto
    FROM merged
)
{% call reaches_between() %}
    SELECT
        {# unchanged by [MAX → MIN] in the next 2 lines: each turn has one row #}
        {# unchanged by [= → <=]: turns are numbered from 0 #}
        own_code, MAX(CASE WHEN turn = 0 THEN code_upto END) AS below_code,
        {# unchanged by [= → <=]: the records up to the end include all records below the end #}
        {# unchanged by [= → >=]: 2 is the highest turn #}
        MAX(CASE WHEN turn = 2 THEN code_upto END) AS upto_code
    FROM codes
    WHERE turn <> 1
    GROUP BY own_code
{% endcall %}
