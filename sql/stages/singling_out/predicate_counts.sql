/*---
grain = """\
one row per comparison, number of keys and number of people who meet a predicate, with the number of these \
predicates, and of those whose only person is counted"""
reads = "predicates"
---*/
{% from "macros/class_key.sql" import any_missing with context %}
{% from "macros/select.sql" import column_list, union_all %}
-- The class of a predicate is the class of its only person. It has no meaning for predicates with several people, and
-- measures do not use it for them. Each comparison also has a row with zeros, so that a sum over no predicates is 0.
{% call union_all() %}
{% for comparison, predicates in comparisons %}
SELECT
    0 AS target, {{ comparison.number }} AS comparison, 0 AS population, n_keys, n_people, COUNT(*) AS n_predicates,
    COUNT({{ "CASE WHEN " ~ any_missing(missing_keys) ~ " THEN NULL ELSE 1 END" if missing_keys else "*" }})
        AS counted_predicates
FROM (
    SELECT
{% call column_list() %}
        n_keys,
        {{ comparison.people.count }} AS n_people,
{% for key_column in key_columns %}
        {{ comparison.people.count }}_{{ key_column.name }} AS {{ key_column.name }},
{% endfor %}
{% endcall %}
    FROM {{ predicates }}
) AS own
GROUP BY n_keys, n_people
UNION ALL
SELECT 0 AS target, {{ comparison.number }} AS comparison, 0 AS population,
    {# unchanged by [0 → 1] AS n_keys, [0 → 1] AS n_people: the additional row has no predicates to add #}
    {# unchanged by [0 → 1] AS counted_predicates: the additional row has no predicates to add #}
    {# unchanged by [n_predicates → counted_predicates]: UNION ALL matches columns by position #}
    {# unchanged by [counted_predicates → n_predicates]: UNION ALL matches columns by position #}
    0 AS n_keys, 0 AS n_people, 0 AS n_predicates, 0 AS counted_predicates
UNION ALL
{% endfor %}
{% endcall %}
