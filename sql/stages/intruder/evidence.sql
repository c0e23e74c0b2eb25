/*---
grain = """\
one row per class and level of one target, for one comparison, with the evidence for the level (about people who have \
it, and about others) and the greatest evidence for any level, also one that the class lacks"""
reads = "beliefs or given_beliefs"
source = "Reiter, Wang & Zhang 2014, for a saturated multinomial synthesis with a Dirichlet prior"
---*/
{% from "macros/numbers.sql" import share %}
{% from "macros/select.sql" import joined_by %}
-- The intruder knows every record of the original but one person's target level, and how the syntheses were made: in
-- each class the levels are drawn from a Dirichlet posterior, prior parameter alpha for each level. Moving the person
-- from one level of the class to another changes one factor of the Dirichlet-multinomial likelihood of the class: with
-- r records of level y among the rest and s synthetic ones, P(Z | rest + y) / P(Z | rest) = (alpha + r + s) / (alpha +
-- r), up to a factor that is equal for every y. Several syntheses are independent draws, so their factors are
-- multiplied, together with the prior belief (weight). Logarithms (evidence) keep products over many syntheses within a
-- DOUBLE. own_evidence is the evidence of a level for a person who has it, so the rest does not contain the person. A
-- level without a record in the class has only the evidence of its weight. A level with weight 0 has none.
{# The sum of the logarithms of these factors, where `rest` is the number of others with the level. #}
{% macro log_factors(rest) %}
{% call joined_by("+") %}
{% for file in members %}
LN(1 + {{ share(file.count, alpha ~ " + " ~ rest) }}) +
{% endfor %}
{% endcall %}
{% endmacro %}
{# The logarithm of a weight. NULL if it is 0. #}
{% macro log_weight(weight) %}
{# unchanged by [> → >=]: in DuckDB the logarithm of 0 is below every number, and other databases have none #}
CASE WHEN {{ weight }} > 0 THEN LN({{ weight }}) END
{%- endmacro %}
SELECT
    {{ class_key }}, level_code, evidence, own_evidence, own_weight, weight_all,
    absent_weight, absent_evidence, n_absent_greatest,
    CASE
        {# unchanged by [>= → >]: if they are equal, either is the maximum #}
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
            {{ log_weight("absent_greatest") }} AS absent_evidence,
            {{ log_weight("weight") }} + {{ log_factors("n_orig") }} AS evidence,
            {{ log_weight("own_weight") }}
                + {{ log_factors("CASE WHEN n_orig > 0 THEN n_orig - 1 ELSE 0 END") }} AS own_evidence
        FROM (
            {{ beliefs | indent(12) }}
        ) AS beliefs
    ) AS each_level
) AS levels_of_class
