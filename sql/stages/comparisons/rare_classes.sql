/*---
grain = "one row per compared class, with the number of people who have its rarest key level, and of all people"
reads = "compared_classes, levels of the keys, files"
---*/
-- The fewer people have one of a person's levels, the easier the person is to find.
SELECT
    *,
    CASE
{% for key in keys %}
        WHEN n_{{ key.column.id }} <= n_all
        {# unchanged by [<= → <]: if both are equal, either is the minimum #}
{%- for other in keys[loop.index:] %} AND n_{{ key.column.id }} <= n_{{ other.column.id }}{% endfor +%}
            THEN n_{{ key.column.id }}
{% endfor %}
    END AS n_level
FROM (
    {{ compared | indent(4) }}
) AS classes
{% for key in keys %}
JOIN (
    SELECT
        {{ key.packed("code") }} AS {{ key.column.id }},
        CAST(SUM({{ original.count }}) AS BIGINT) AS n_{{ key.column.id }}
    FROM {{ dictionaries[key.column.id] }}
    GROUP BY code
) AS {{ key.column.id }} ON {{ key.digit_of("classes") }} = {{ key.column.id }}.{{ key.column.id }}
{% endfor %}
CROSS JOIN (SELECT {{ original.count }} AS n_all FROM {{ files_row }}) AS files
