/*---
grain = """\
one row per cell of one target with people, for one comparison: what an intruder who knows all but one target \
level believes of them; with populations, one for each population"""
reads = "beliefs or given_beliefs, compared_cells"
source = "Reiter, Wang & Zhang 2014, for a saturated multinomial synthesis with a Dirichlet prior"
---*/
{% from "macros/class_key.sql" import class_key_of, same_cell with context %}
{% from "macros/numbers.sql" import share, quotient %}
{% from "macros/select.sql" import joined_by %}
-- The intruder knows every record of the original but one person's target level, and how the syntheses were made: in
-- each class the levels are drawn from a Dirichlet posterior, prior parameter alpha for each level. Moving the person
-- from one level of the class to another changes one factor of the Dirichlet-multinomial likelihood of the class: with
-- r records of level y among the rest and s synthetic ones, P(Z | rest + y) / P(Z | rest) = (alpha + r + s) / (alpha +
-- r), but for what is the same for every y. Several syntheses were each drawn anew: their factors multiply, and with
-- what was thought before (weight). Logarithms (evidence) keep the products of many syntheses within a DOUBLE; levels
-- whose evidence agrees to 1e-12 tie. own_evidence is that of a level for a person who has it: the rest lacks the
-- person. Of a level without a record here it is its weight's; of what nobody thinks possible there is none.
{% macro factors(rest) %}
{% call joined_by("+") %}
{% for file in members %}
LN(1 + {{ share(file.count, alpha ~ " + " ~ rest) }}) +
{% endfor %}
{% endcall %}
{% endmacro %}
{% macro thought(weight) %}
{# unchanged by [> → >=]: DuckDB's logarithm of 0 is below every number, and other databases have none #}
CASE WHEN {{ weight }} > 0 THEN LN({{ weight }}) END
{%- endmacro %}
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
        {{ quotient("own_weight", "weight_all") }} AS chance_prior,
        CASE
            {# unchanged by [> → >=], [1e-12 → 11e-12]: it differs within rounding alone #}
            WHEN rival IS NULL OR own_evidence > rival + 1e-12 THEN 1
            {# unchanged by [>= → >], [1e-12 → 11e-12]: it differs within rounding alone #}
            WHEN own_evidence >= rival - 1e-12 THEN {{ quotient("1", "1 + n_rivals") }}
            ELSE 0
        END AS chance_mode
    FROM (
        SELECT
            {{ class_key }}, level_code, own_evidence, greatest, own_weight, weight_all,
            -- The sum of the likelihoods of the other levels, as shares of the greatest.
            total - {{ power("evidence - greatest") }} + absent_weight * {{ power("-greatest") }} AS others,
            -- The greatest of the other levels, and how many have it: the second, for the only greatest one.
            CASE WHEN n_greatest > is_greatest THEN greatest ELSE runner_up END AS rival,
            CASE
                WHEN n_greatest > is_greatest THEN n_greatest - is_greatest
                ELSE COUNT(
                    {# unchanged by [= → <=]: a flag is 0 or 1 #}
                    {# unchanged by [>= → >], [1e-12 → 11e-12]: it differs within rounding alone #}
                    CASE WHEN is_greatest = 0 AND evidence >= runner_up - 1e-12 THEN 1 END
                ) OVER (PARTITION BY {{ class_key }})
                    {# unchanged by [>= → >], [1e-12 → 11e-12]: it differs within rounding alone #}
                    + CASE WHEN absent_evidence >= runner_up - 1e-12 THEN n_absent_greatest ELSE 0 END
            END AS n_rivals
        FROM (
            SELECT
                {{ class_key }}, level_code, evidence, own_evidence, greatest, own_weight, weight_all,
                absent_weight, absent_evidence, n_absent_greatest, total, is_greatest,
                n_greatest_here
                    {# unchanged by [>= → >], [1e-12 → 11e-12]: it differs within rounding alone #}
                    + CASE WHEN absent_evidence >= greatest - 1e-12 THEN n_absent_greatest ELSE 0 END AS n_greatest,
                CASE
                    {# unchanged by [>= → >]: where they are equal either is the greater #}
                    WHEN second_here >= absent_evidence OR absent_evidence IS NULL THEN second_here
                    ELSE absent_evidence
                END
                    AS runner_up
            FROM (
                SELECT
                    {{ class_key }}, level_code, evidence, own_evidence, greatest, own_weight, weight_all,
                    absent_weight, absent_evidence, n_absent_greatest,
                    {# unchanged by [>= → >], [1e-12 → 11e-12]: it differs within rounding alone #}
                    CASE WHEN evidence >= greatest - 1e-12 THEN 1 ELSE 0 END AS is_greatest,
                    MAX(
                        {# unchanged by [< → <=], [1e-12 → 11e-12]: it differs within rounding alone #}
                        CASE WHEN evidence < greatest - 1e-12 THEN evidence END
                    ) OVER (PARTITION BY {{ class_key }}) AS second_here,
                    SUM({{ power("evidence - greatest") }}) OVER (PARTITION BY {{ class_key }}) AS total,
                    COUNT(
                        {# unchanged by [>= → >], [1e-12 → 11e-12]: it differs within rounding alone #}
                        CASE WHEN evidence >= greatest - 1e-12 THEN 1 END
                    ) OVER (PARTITION BY {{ class_key }}) AS n_greatest_here
                FROM (
                    SELECT
                        {{ class_key }}, level_code, evidence, own_evidence, own_weight, weight_all,
                        absent_weight, absent_evidence, n_absent_greatest,
                        CASE
                            {# unchanged by [>= → >]: where they are equal either is the greater #}
                            WHEN absent_evidence IS NULL OR greatest_here >= absent_evidence THEN greatest_here
                            ELSE absent_evidence
                        END AS greatest
                    FROM (
                        SELECT
                            {{ class_key }}, level_code, evidence, own_evidence, own_weight, weight_all,
                            absent_weight, absent_evidence, n_absent_greatest,
                            MAX(evidence) OVER (PARTITION BY {{ class_key }}) AS greatest_here
                        FROM (
                            SELECT
                                {{ class_key }}, level_code, own_weight, weight_all, absent_weight, n_absent_greatest,
                                {{ thought("absent_greatest") }} AS absent_evidence,
                                {{ thought("weight") }} + {{ factors("n_orig") }} AS evidence,
                                {{ thought("own_weight") }}
                                    + {{ factors("CASE WHEN n_orig > 0 THEN n_orig - 1 ELSE 0 END") }} AS own_evidence
                            FROM (
                                {{ beliefs | indent(32) }}
                            ) AS beliefs
                        ) AS each_level
                    ) AS levels_of_class
                ) AS levels_and_absent
            ) AS counted_levels
        ) AS sums
    ) AS likelihoods
) AS believed
JOIN (
    {{ compared | indent(4) }}
) AS counted ON {{ same_cell("believed", "counted") }}
WHERE counted.people > 0
