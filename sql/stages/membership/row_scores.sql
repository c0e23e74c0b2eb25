/*---
grain = """\
one row per comparison and number of synthetic records with a person's whole row, with the number of people who have \
it"""
reads = "distinct_rows"
---*/
{% from "macros/counts.sql" import records_of %}
{% from "macros/select.sql" import union_all %}
-- Like score_counts, but by whole rows (see distinct_rows) instead of by the keys, and only for everybody.
{% call union_all() %}
{% for comparison in comparisons %}
SELECT
    {# unchanged by [0 → 1] AS target: a whole row has no target #}
    0 AS target, {{ comparison.number }} AS comparison, 0 AS population,
    {{ records_of(comparison.members) }} AS score, CAST(SUM({{ comparison.people.count }}) AS BIGINT) AS n_people
FROM {{ rows }}
WHERE {{ comparison.people.count }} > 0
GROUP BY {{ records_of(comparison.members) }}
UNION ALL
{% endfor %}
{% endcall %}
