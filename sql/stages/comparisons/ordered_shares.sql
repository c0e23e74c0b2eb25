/*---
grain = """\
one row per cell with people of one ordered target, for one comparison, with the cumulative share of the class and \
the rank of the level; and one row for each level, with the cumulative share of all people"""
reads = "compared_cells, level_places"
---*/
{% from "macros/numbers.sql" import quotient, running %}
{% set classes = columns | join(", ") %}
{% set of_class = "PARTITION BY " ~ classes %}
SELECT
    {{ classes }},
    people AS cell_people, counted_orig AS cell_counted, n_places, n_upto_all,
    {{ quotient(running("SUM(n_orig)", "level_code", classes), "n_orig_class") }} AS share_upto,
    CASE
        {# unchanged by [= → <=]: rows are numbered from 1 #}
        WHEN ROW_NUMBER() OVER ({{ of_class }} ORDER BY level_code) = 1
            THEN {{ quotient("sum_upto - n_upto", "n_upto_all") }}
        ELSE CAST(0 AS DOUBLE)
    END AS share_first,
    place,
    COALESCE(LEAD(place) OVER ({{ of_class }} ORDER BY level_code), n_places) AS next_place,
    sum_upto - n_upto AS sum_before,
    COALESCE(
        LEAD(sum_upto - n_upto) OVER ({{ of_class }} ORDER BY level_code), sum_all - n_upto_all
    ) AS sum_next,
    0 AS is_level, 0 AS level_upto
FROM (
    {{ compared | indent(4) }}
) AS compared
JOIN (
    {{ level_places | indent(4) }}
) AS places
    ON compared.level_code = places.place_code
{%- for name in apart %} AND compared.{{ name }} = places.of_{{ name }}{% endfor %}

WHERE n_orig > 0
UNION ALL
SELECT
{% for name in columns %}
    {{ "of_" ~ name if name in apart else "CAST(NULL AS BIGINT)" }} AS {{ name }},
{% endfor %}
    {# unchanged by [0 → 1] in the next 3 lines: the row of a level stands for no person #}
    CAST(0 AS {{ number }}) AS cell_people, CAST(0 AS {{ number }}) AS cell_counted, n_places, n_upto_all,
    {{ quotient("n_upto", "n_upto_all") }} AS share_upto, CAST(0 AS DOUBLE) AS share_first,
    place, place AS next_place, 0 AS sum_before, 0 AS sum_next, 1 AS is_level, n_upto AS level_upto
FROM (
    {{ level_places | indent(4) }}
) AS levels
