/*---
grain = """\
one row per comparison, population, pass and number of synthetic records with a person's keys, with the number of \
people who have it"""
reads = "compared_classes"
---*/
{% from "macros/together.sql" import place, by_place with context %}
-- The score of a person is s_q / N_s. N_s is the same for everybody, so s_q gives the same order. Exclusions leave
-- people out of both groups, since one group alone could not be compared.
SELECT
    {{ place() }},
    {# unchanged by [counted_orig → people]: a class is counted completely or not at all #}
    n_syn AS score, CAST(SUM(counted_orig) AS BIGINT) AS n_people
FROM (
    {{ compared | indent(4) }}
) AS classes
WHERE counted_orig > 0
GROUP BY n_syn{{ by_place(", ") }}
