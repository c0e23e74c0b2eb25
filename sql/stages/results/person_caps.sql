/*---
grain = """\
one row per target, comparison, population, pass, CAP in the original, CAP in the synthetic file and lift, with the \
number of people"""
reads = "distinct_cells"
---*/
{% from "macros/numbers.sql" import share %}
{% from "macros/together.sql" import place, by_place with context %}
-- All people of a cell have the same values, and cells with equal values are combined. Grouping by DOUBLEs is exact
-- here: without a baseline of the user's, each is one quotient of whole numbers, so equal fractions are equal DOUBLEs.
-- Excluded people are in no distribution.
SELECT
    {{ place() }},
    cap_original, cap_synthetic, lift,
    CAST(SUM(counted_orig) AS {{ number }}) AS n_people
FROM (
    SELECT
        counted_orig,
{% for name in by %}
        {{ name }},
{% endfor %}
        -- People of control may be in a class that the original lacks. The original then reveals nothing about them.
        COALESCE(share_orig, 0) AS cap_original,
        share_syn AS cap_synthetic,
        -- A person without a match has 0. A level without a share in the baseline has no lift.
{% if baseline %}
        {{ share("COALESCE(share_syn, 0)", "share_level") }} AS lift
{% else %}
        CAST(n_syn AS DOUBLE) * CAST(n_orig_all AS DOUBLE)
            / NULLIF(
                {# unchanged by WHEN [n_syn_class → n_syn], [1 → 2]: 0 divided by any number is 0 #}
                {# unchanged by [= → <=]: no count is below 0 #}
                CAST(CASE WHEN n_syn_class = 0 THEN 1 ELSE n_syn_class END AS DOUBLE) * CAST(n_orig_level AS DOUBLE), 0
            ) AS lift
{% endif %}
    FROM (
        {{ distinct_cells | indent(8) }}
    ) AS cells
    WHERE counted_orig > 0
) AS each_person
GROUP BY cap_original, cap_synthetic, lift{{ by_place(", ") }}
