/*---
grain = """\
one row per class with several synthetic records, with the count of the most frequent target level and the number of \
ties"""
reads = "compared_cells"
---*/
-- A class with one synthetic record has no row: the level of that record is the most frequent one.
{# unchanged by [MAX → MIN]: all rows of a group have one value #}
{# unchanged by [= → >=]: no value exceeds the maximum #}
SELECT {{ class_key }}, MAX(n_most) AS n_top, COUNT(CASE WHEN n_syn = n_most THEN 1 END) AS n_modal
FROM (
    SELECT {{ class_key }}, n_syn, MAX(n_syn) OVER (PARTITION BY {{ class_key }}) AS n_most
    FROM (
        {{ compared | indent(8) }}
    ) AS compared
    {# unchanged by n_syn_class [> → >=], [1 → 0]: a class of one record always keeps its mode #}
    {# unchanged by n_syn [> → >=]: a level without records is no mode #}
    {# unchanged by [AND → OR]: for the reasons of both lines above #}
    WHERE n_syn_class > 1 AND n_syn > 0
) AS ranked
GROUP BY {{ class_key }}
