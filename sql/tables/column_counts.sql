/*---
grain = """\
one row per column, with the number of its levels in the original and of those that only one side has, of missing \
values, and of people with a level that nobody else has"""
reads = "levels"
---*/
{% from "macros/counts.sql" import counts_of, records_of %}
{% from "macros/select.sql" import union_all %}
-- Only counts leave the database, no level of the data. Missing values are counted separately, not among the levels.
{% call union_all() %}
{% for column in columns %}
SELECT
    {{ loop.index0 }} AS place,
    COUNT(CASE WHEN code > 0 AND n_orig > 0 THEN 1 END) AS levels_orig,
    {# unchanged by [= → <=] in the next 2 lines: no count is below 0 #}
    COUNT(CASE WHEN code > 0 AND records_syn = 0 THEN 1 END) AS only_orig,
    COUNT(CASE WHEN code > 0 AND n_orig = 0 THEN 1 END) AS only_syn,
    {# unchanged by [SUM → MAX]: a column has one missing level #}
    {# unchanged by [= → <=]: no code is below 0 #}
    CAST(SUM(CASE WHEN code = 0 THEN n_orig ELSE 0 END) AS BIGINT) AS missing_orig,
    {% for file in syntheses %}
    {# unchanged by [SUM → MAX]: a column has one missing level #}
    {# unchanged by [= → <=]: no code is below 0 #}
    CAST(SUM(CASE WHEN code = 0 THEN {{ file.count }} ELSE 0 END) AS BIGINT) AS missing_syn_{{ loop.index }},
    {% endfor %}
    COUNT(CASE WHEN n_orig = 1 THEN 1 END) AS n_unique
FROM (
    SELECT code, n_orig, {{ records_of(syntheses) }} AS records_syn, {{ counts_of(syntheses) }}
    FROM {{ levels[column.id] }}
) AS levels_{{ loop.index }}
UNION ALL
{% endfor %}
{% endcall %}
