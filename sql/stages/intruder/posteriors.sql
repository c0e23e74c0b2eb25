/*---
grain = """\
one row per cell of one target with people, for one comparison: what an intruder who knows all but one target \
level believes of them; with populations, one for each population"""
reads = "cells, marginals, compared_cells"
source = "Reiter, Wang & Zhang 2014, for a saturated multinomial synthesis with a Dirichlet prior"
---*/
{% from "macros/class_key.sql" import class_key_of, same_cell with context %}
{% from "macros/counts.sql" import records_of %}
{% from "macros/numbers.sql" import share, quotient %}
{% from "macros/select.sql" import joined_by %}
-- The intruder knows every record of the original but one person's target level, and how the syntheses were made: in
-- each class the levels are drawn from a Dirichlet posterior, prior parameter alpha for each level. Moving the person
-- from one level of the class to another changes one factor of the Dirichlet-multinomial likelihood of the class: with
-- r records of level y among the rest and s synthetic ones, P(Z | rest + y) / P(Z | rest) = (alpha + r + s) / (alpha +
-- r), but for what is the same for every y. Several syntheses were each drawn anew: their factors multiply. Before,
-- every level that the target has in these files is as probable as another. Logarithms (evidence) keep the products of
-- many syntheses within a DOUBLE; levels whose evidence agrees to 1e-12 tie. own_evidence is that of a level for a
-- person who has it: the rest lacks the person. Of a level without a record here it is 0.
{% macro factors(rest) %}
{% call joined_by("+") %}
{% for file in comparison.members %}
LN(1 + {{ share(file.count, alpha ~ " + " ~ rest) }}) +
{% endfor %}
{% endcall %}
{% endmacro %}
{% macro power(exponent) %}
{# unchanged by [> → >=], [700 → 701], [700 → 699]: it is next to nothing, at most 1e-303 #}
CASE WHEN {{ exponent }} > -700 THEN EXP({{ exponent }}) ELSE 0 END
{%- endmacro %}
SELECT
    {{ class_key_of("believed") }}, believed.level_code AS level_code,
{% if population_counts %}
    counted.population AS population,
{% endif %}
    counted.people AS people, counted.counted_orig AS counted_orig,
    believed.chance_posterior AS chance_posterior, believed.chance_prior AS chance_prior,
    believed.chance_mode AS chance_mode
FROM (
    SELECT
        {{ class_key }}, level_code,
        CASE
            {# unchanged by [>= → >]: where they are equal both are 1 of 1 + others #}
            WHEN own_evidence >= greatest
                THEN {{ quotient("1", "1 + " ~ power("greatest - own_evidence") ~ " * others") }}
            ELSE {{ quotient(power("own_evidence - greatest"), power("own_evidence - greatest") ~ " + others") }}
        END AS chance_posterior,
        {{ quotient("1", "n_levels_all") }} AS chance_prior,
        CASE
            {# unchanged by [> → >=], [1e-12 → 11e-12]: it differs within rounding alone #}
            WHEN own_evidence > greatest + 1e-12 THEN 1
            {# unchanged by [>= → >], [1e-12 → 11e-12]: it differs within rounding alone #}
            WHEN own_evidence >= greatest - 1e-12 THEN {{ quotient("1", "1 + n_others_greatest") }}
            ELSE 0
        END AS chance_mode
    FROM (
        SELECT
            {{ class_key }}, level_code, own_evidence, greatest, n_levels_all,
            -- Of the other levels: the sum of their likelihoods, as shares of the greatest, and how many have the
            -- greatest.
            total - {{ power("evidence - greatest") }}
                + (n_levels_all - n_levels_here) * {{ power("-greatest") }} AS others,
            {# unchanged by [>= → >], [1e-12 → 11e-12]: it differs within rounding alone #}
            n_greatest - CASE WHEN evidence >= greatest - 1e-12 THEN 1 ELSE 0 END
                {# unchanged by [<= → <], [1e-12 → 11e-12]: it differs within rounding alone #}
                + CASE WHEN greatest <= 1e-12 THEN n_levels_all - n_levels_here ELSE 0 END AS n_others_greatest
        FROM (
            SELECT
                {{ class_key }}, level_code, evidence, own_evidence, greatest,
                SUM({{ power("evidence - greatest") }}) OVER (PARTITION BY {{ class_key }}) AS total,
                COUNT(*) OVER (PARTITION BY {{ class_key }}) AS n_levels_here,
                COUNT(
                    {# unchanged by [>= → >], [1e-12 → 11e-12]: it differs within rounding alone #}
                    CASE WHEN evidence >= greatest - 1e-12 THEN 1 END
                ) OVER (PARTITION BY {{ class_key }}) AS n_greatest
            FROM (
                SELECT
                    {{ class_key }}, level_code, evidence, own_evidence,
                    MAX(evidence) OVER (PARTITION BY {{ class_key }}) AS greatest
                FROM (
                    SELECT
                        {{ class_key }}, level_code,
                        {{ factors("n_orig") }} AS evidence,
                        {{ factors("CASE WHEN n_orig > 0 THEN n_orig - 1 ELSE 0 END") }} AS own_evidence
                    FROM {{ cells }}
                    {# unchanged by n_orig_class [> → >=]: in a class without people nobody is counted #}
                    {# unchanged by [AND → OR], members) }} [> → >=]: a level without records may have a row or none #}
                    WHERE n_orig_class > 0 AND n_orig + {{ records_of(comparison.members) }} > 0
                ) AS each_level
            ) AS levels_of_class
        ) AS sums
        CROSS JOIN (
            SELECT COUNT(*) AS n_levels_all
            FROM {{ marginals }}
            WHERE n_orig + {{ records_of(comparison.members) }} > 0
        ) AS target_levels
    ) AS likelihoods
) AS believed
JOIN (
    {{ compared | indent(4) }}
) AS counted ON {{ same_cell("believed", "counted") }}
WHERE counted.people > 0
