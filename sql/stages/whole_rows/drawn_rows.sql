/*---
grain = """\
one row per class of whole rows, for one comparison, with its people and the probability that a random subset of all \
people, as large as the smaller file, has one of them"""
reads = "compared_classes, row_chances"
---*/
{% from "macros/select.sql" import named_of %}
SELECT
    {{ named_of(columns, "compared") }},
    {# unchanged by [= → <=]: no count and no code is below 0 #}
    CASE WHEN compared.n_orig = 0 THEN 0 ELSE COALESCE(drawn.chance, 1) END AS chance_drawn
FROM (
    {{ compared | indent(4) }}
) AS compared
LEFT JOIN {{ row_chances }} AS drawn ON compared.people_file = drawn.people_file AND compared.n_orig = drawn.n_alike
